from pyflink.table.expressions import col

s = col("s")
for expression in (
    s.regexp("a+"),
    s.regexp_count("a"),
    s.regexp_replace("a", "b"),
    s.regexp_extract("a(b)"),
    s.regexp_extract("a(b)", 1),
    s.regexp_extract_all("a(b)"),
    s.regexp_extract_all("a(b)", 0),
    s.regexp_instr("a"),
    s.regexp_substr("a"),
    s.from_base64,
    s.to_base64,
    s.unhex,
    s.url_encode(),
    s.url_decode(),
    s.parse_url("HOST"),
    s.parse_url("QUERY", "k"),
    s.md5,
    s.sha1,
    s.sha224,
    s.sha256,
    s.sha384,
    s.sha512,
    s.sha2(256),
    s.inet_aton(),
    s.inet_ntoa(),
):
    print(expression)
