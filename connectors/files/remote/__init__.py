"""Files on S3, HDFS, HTTP and other remote file systems.

location         what a URI names, without the secrets in it
file_system      what a remote file system must offer to a source; file_systems: which one a URI means
ranged_file      a file that is read by ranges
patterns         which files a path or a glob pattern means
s3, s3_client    S3, by boto3
arrow            what pyarrow and fsspec know
http             HTTP and HTTPS, only to read
open_file        opens a part of a remote file
enumerator       which files an epoch holds; seen_files: those that were read
store            what a remote file system must offer to a sink; stores: which one a base path has
s3_uploads       parts of an object, completed by the commit
staged_files     hidden files, moved by the commit
writer, committer, state    the sink; overwriting: one whose files take the place of others
"""
