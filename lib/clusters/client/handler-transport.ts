import type { RequestHeaders, Transport } from './transport.ts'

/**
 * Calls an API server in this process (the hub) through its fetch-style handler: no socket, no TLS, same responses. The
 * handler knows who the caller is.
 */
export const handlerTransport =
  (handle: (request: Request) => Response | Promise<Response>): Transport =>
  async ({ method, path, headers, body, signal }) => {
    // Thousands of requests in a row would block the event loop: nothing here waits for a socket.
    await new Promise(setImmediate)
    const request = new Request(`https://hub.local${path}`, {
      method,
      headers: linesOf(headers),
      signal,
      ...(body !== undefined && { body }),
    })
    const response = await handle(request)
    const text = await response.text()
    return { status: response.status, header: name => response.headers.get(name) ?? undefined, body: text }
  }

const linesOf = (headers: RequestHeaders): [name: string, value: string][] =>
  Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value): [string, string] => [name, value]))
