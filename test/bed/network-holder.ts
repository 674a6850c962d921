/** Holds a network until the process that started it is gone, and opens ports of its loopback for that process, which accepts their connections. */
import { createServer } from 'node:net'

process.on('message', (port: number) => {
  const server = createServer()
  server.once('error', ({ message }) => process.send!({ message }))
  server.listen(port, '127.0.0.1', () => process.send!({}, server, () => server.close()))
})
process.once('disconnect', () => process.exit())
process.send!('ready')
