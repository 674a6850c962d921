import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A registry that lists the same tags for every repository, so many milliseconds after it was asked. */
export const listingRegistry = async (count: number, latencyMs = 0) => {
  let lists = 0
  const tags = Array.from({ length: count }, (_, at) => `1.${at}.0`)
  const server = createServer(async (request, response) => {
    const [, name] = /^\/v2\/(.+)\/tags\/list/.exec(request.url ?? '') ?? []
    if (name) lists++
    if (latencyMs > 0) await sleep(latencyMs)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(name ? { name, tags } : {}))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    lists: () => lists,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
