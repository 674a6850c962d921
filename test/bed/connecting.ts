import { request } from 'node:http'
import { connect } from 'node:net'

/** How a connection to `HOST:PORT` ends: `connected`, or the code of its error. */
export const connecting = (address: string): Promise<string> => {
  const { hostname: host, port } = new URL(`tcp://${address}`)
  return new Promise(resolve => {
    const socket = connect({ host, port: Number(port) }, () => {
      resolve('connected')
      socket.destroy()
    })
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'an error without a code'))
  })
}

/** The status with which an HTTP proxy responds to a CONNECT to `HOST:PORT`. */
export const connectingThrough = (proxy: string, path: string): Promise<number | undefined> => {
  const { hostname: host, port } = new URL(proxy)
  return new Promise((resolve, reject) =>
    request({ host, port, method: 'CONNECT', path })
      .once('connect', ({ statusCode }, socket) => {
        resolve(statusCode)
        socket.destroy()
      })
      .once('error', reject)
      .end(),
  )
}
