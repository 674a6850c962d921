import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { certificateAuthority } from './certificates.ts'
import type { Cluster } from './cluster.ts'

interface ServedLog {
  readonly namespace: string
  readonly name: string
  readonly container: string
  /** Of the run before the current one. */
  readonly isPrevious: boolean
}

/** Serves the logs of all containers as a kubelet does, and has the cluster's nodes point to it: the stand-in for a kubelet has none. */
export const serveLogs = async (
  cluster: Pick<Cluster, 'kubectl'>,
  textOf: (log: ServedLog) => string,
): Promise<AsyncDisposable & { readonly port: number }> => {
  const server = createServer(certificateAuthority().issue('kubelet'), (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://k')
    const [, , namespace = '', name = '', container = ''] = pathname.split('/')
    const text = textOf({ namespace, name, container, isPrevious: searchParams.get('previous') === 'true' })
    const tailLines = Number(searchParams.get('tailLines') ?? Number.POSITIVE_INFINITY)
    response.end(
      text
        .split(/(?<=\n)/)
        .slice(-tailLines)
        .join(''),
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  }
  const nodes = (await cluster.kubectl('get', 'nodes', '-o', 'name')).trim().split('\n')
  for (const node of nodes)
    await cluster.kubectl('patch', node, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status }))
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
