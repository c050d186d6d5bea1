// Loaded before kinesalite, which would end when a client that has begun a request is killed.
process.on('uncaughtException', error => {
  if (error.code !== 'ECONNRESET') throw error
})
