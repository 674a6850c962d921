import type { RequestHeaders, Transport } from './transport.ts'

/**
 * Reaches an API server in this process (the hub) through its fetch-style handler: no socket, no TLS, same answers.
 * `caller` says who calls, in whatever way the handler authenticates.
 */
export const handlerTransport =
  (handle: (request: Request) => Response | Promise<Response>, caller: RequestHeaders): Transport =>
  async ({ method, path, headers, body, signal }) => {
    const request = new Request(`https://hub.local${path}`, {
      method,
      headers: Object.entries({ ...headers, ...caller }).flatMap(([name, values]) =>
        [values].flat().map((value): [string, string] => [name, value]),
      ),
      signal,
      ...(body !== undefined && { body }),
    })
    const response = await handle(request)
    const text = await response.text()
    return { status: response.status, header: name => response.headers.get(name) ?? undefined, body: text }
  }
