import { connect, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { command, type Network } from './command.ts'
import { httpProxy, joinSockets } from './forward-proxy.ts'
import type { HubApi } from './hub.ts'
import { type NetworkNamespace, NoNamespace, networkNamespace } from './network-namespace.ts'
import { endWithTest } from './teardown.ts'
import { tlsFront } from './tls-front.ts'

/** A network that nobody reaches from outside. Its way out is a proxy, which leads to a hub and refuses everything else. */
export interface PrivateNetwork extends Network, AsyncDisposable {
  /** `http://127.0.0.1:<port>`, inside. */
  readonly proxy: string
  /** The requests that it got. */
  readonly seen: readonly string[]
  /** Has the proxy lead to a hub, and returns where that is for programs inside: loopback is exempt from proxies, so it has a name. */
  leadTo(hub: HubApi): HubApi
  /** Has ports of the loopback inside lead to the same ports of this machine. */
  forward(...ports: readonly number[]): Promise<void>
  /** What `connecting` finds inside. */
  connecting(...addresses: readonly string[]): Promise<readonly string[]>
  /** What `connectingThrough` finds inside for the proxy. */
  connectingOut(...addresses: readonly string[]): Promise<readonly number[]>
}

/** One for the running test, until that ends; undefined where the machine allows none, which is in the report with the reason. */
export const privateNetwork = async (t: Pick<TestContext, 'diagnostic'>): Promise<PrivateNetwork | undefined> => {
  const network = await startPrivateNetwork(why => t.diagnostic(why))
  return network && endWithTest(network)
}

/** The same, disposed of by the caller. */
export const startPrivateNetwork = async (report: (why: string) => void): Promise<PrivateNetwork | undefined> => {
  const namespace = await networkNamespace().catch(error => {
    if (!(error instanceof NoNamespace)) throw error
    report(`on loopback, as this machine gives no network of its own: ${error.message}`)
    return undefined
  })
  return namespace && around(namespace)
}

const around = async (namespace: NetworkNamespace): Promise<PrivateNetwork> => {
  const front = await tlsFront('hub.test')
  const wayOut = await httpProxy({ 'hub.test': front.port }, { on: await namespace.listen(0), refusesOthers: true })
  const proxy = wayOut.url
  const sockets = new Set<Socket>()
  const servers: Server[] = []
  /** What a function of `connecting.ts` returns inside for each of the arguments. */
  const inside = async <T>(name: string, calls: readonly (readonly string[])[]): Promise<readonly T[]> => {
    const script = `import { ${name} as it } from ${JSON.stringify(join(import.meta.dirname, 'connecting.ts'))}
      console.log(JSON.stringify(await Promise.all(${JSON.stringify(calls)}.map(each => it(...each)))))`
    return JSON.parse(await command(process.execPath, ['--input-type=module', '-e', script], { network: namespace }))
  }
  return {
    enter: namespace.enter,
    proxy,
    seen: wayOut.seen,
    leadTo: front.leadTo,
    forward: async (...ports) => {
      for (const port of ports) {
        const server = await namespace.listen(port)
        server.on('connection', socket => {
          sockets.add(socket.once('close', () => sockets.delete(socket)))
          joinSockets(socket, connect(port, '127.0.0.1'))
        })
        servers.push(server)
      }
    },
    connecting: (...addresses) =>
      inside(
        'connecting',
        addresses.map(address => [address]),
      ),
    connectingOut: (...addresses) =>
      inside(
        'connectingThrough',
        addresses.map(address => [proxy, address]),
      ),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      for (const server of servers) server.close()
      await wayOut[Symbol.asyncDispose]()
      await front[Symbol.asyncDispose]()
      await namespace[Symbol.asyncDispose]()
    },
  }
}
