import { createServer, request as httpRequest } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'

/** A proxy on loopback, through which names lead where its test wants them. */
export interface ForwardProxy extends AsyncDisposable {
  readonly url: string
  /** Its requests, with user and password: `GET http://git.test/a u:p`, `CONNECT git.test:443`. */
  readonly seen: string[]
}

/** Ports of this machine by the host that clients name; other hosts are what they say. */
export type Routes = Readonly<Record<string, number>>

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port

const way = (routes: Routes, host: string, port: number) =>
  host in routes ? { host: '127.0.0.1', port: routes[host]! } : { host, port }

/** Passes on what comes, both ways, until one of them ends. */
export const joinSockets = (client: Socket, server: Socket): void => {
  server.pipe(client).pipe(server)
  server.on('error', () => client.destroy())
  client.on('error', () => server.destroy())
}

export interface HttpProxyOptions {
  /** In place of a port of this machine. */
  readonly on?: Server
  /** Whether requests to hosts without a route are refused with 403. */
  readonly refusesOthers?: boolean
}

/** An HTTP proxy: requests with whole addresses, and CONNECT. */
export async function httpProxy(
  routes: Routes = {},
  { on, refusesOthers = false }: HttpProxyOptions = {},
): Promise<ForwardProxy> {
  const seen: string[] = []
  const tunnels = new Set<Socket>()
  const isRefused = (host: string) => refusesOthers && !(host in routes)
  const note = (method: string | undefined, target: string, proof: string | undefined) => {
    const who = proof ? ` ${Buffer.from(proof.replace('Basic ', ''), 'base64')}` : ''
    seen.push(`${method} ${target}${who}`)
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url!)
    const { 'proxy-authorization': proof, ...headers } = request.headers
    note(request.method, url.origin + url.pathname, proof)
    if (isRefused(url.hostname)) return void response.writeHead(403).end()
    const { host, port } = way(routes, url.hostname, Number(url.port) || 80)
    const path = url.pathname + url.search
    const passed = httpRequest({ host, port, path, method: request.method!, headers }, answer => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  server.on('connect', (request, client: Socket, head) => {
    note('CONNECT', request.url!, request.headers['proxy-authorization'])
    const [name = '', asked] = request.url!.split(':')
    if (isRefused(name)) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    tunnels.add(client.once('close', () => tunnels.delete(client)))
    const passed = connect(way(routes, name, Number(asked)), () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      passed.write(head)
    })
    joinSockets(client, passed)
  })
  await new Promise<void>(resolve => (on ? server.listen(on, resolve) : server.listen(0, '127.0.0.1', resolve)))
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    seen,
    async [Symbol.asyncDispose]() {
      for (const tunnel of tunnels) tunnel.destroy()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

export interface SocksOptions {
  readonly auth?: { readonly username: string; readonly password: string }
}

/** A SOCKS 5 proxy. */
export async function socksProxy(routes: Routes = {}, { auth }: SocksOptions = {}): Promise<ForwardProxy> {
  const seen: string[] = []
  const clients = new Set<Socket>()
  const serve = async (client: Socket): Promise<void> => {
    const next = async (count: number): Promise<Buffer> => {
      for (;;) {
        const bytes = client.read(count) as Buffer | null
        if (bytes) return bytes
        await new Promise(resolve => client.once('readable', resolve))
      }
    }
    const [, offers = 0] = await next(2)
    const method = auth ? 2 : 0
    const isOffered = (await next(offers)).includes(method)
    client.write(Buffer.from([5, isOffered ? method : 255]))
    if (!isOffered) return void client.end()
    let who = ''
    if (auth) {
      const [, userLength = 0] = await next(2)
      const username = (await next(userLength)).toString()
      const [length = 0] = await next(1)
      const password = (await next(length)).toString()
      const isRight = username === auth.username && password === auth.password
      client.write(Buffer.from([1, isRight ? 0 : 1]))
      if (!isRight) return void client.end()
      who = ` ${username}:${password}`
    }
    const [, , , kind] = await next(4)
    const host = kind === 1 ? [...(await next(4))].join('.') : (await next((await next(1))[0]!)).toString()
    const port = (await next(2)).readUInt16BE()
    seen.push(`${host}:${port}${who}`)
    const passed = connect(way(routes, host, port), () => {
      client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
      joinSockets(client, passed)
    })
    passed.on('error', () => client.end(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])))
  }
  const server = createTcpServer(client => {
    clients.add(client)
    client.on('close', () => clients.delete(client))
    client.on('error', () => {})
    void serve(client)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `socks5://127.0.0.1:${portOf(server)}`,
    seen,
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
