import { spawn } from 'node:child_process'
import { Readable } from 'node:stream'

/**
 * Serves the bare repositories below a directory by git's own `git http-backend` (CGI, RFC 3875): smart HTTP, fetch
 * and push. `path` is the request's path below that directory, e.g. `/sample.git/info/refs`.
 */
export const gitHttpBackend =
  (directory: string) =>
  async (request: Request, path: string): Promise<Response> => {
    const body = request.body ? Buffer.from(await request.arrayBuffer()) : Buffer.alloc(0)
    const backend = spawn('git', ['http-backend'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: directory,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_PROTOCOL: request.headers.get('git-protocol') ?? '',
        HTTP_CONTENT_ENCODING: request.headers.get('content-encoding') ?? '',
        REQUEST_METHOD: request.method,
        PATH_INFO: path,
        QUERY_STRING: new URL(request.url).search.slice(1),
        CONTENT_TYPE: request.headers.get('content-type') ?? '',
        CONTENT_LENGTH: String(body.length),
        REMOTE_USER: 'sample',
        REMOTE_ADDR: '127.0.0.1',
      },
    })
    backend.stdin.on('error', () => {}) // the backend may respond without reading the body
    backend.stdin.end(body)
    const chunks = Readable.from(backend.stdout)
    return responseOf(Buffer.concat(await chunks.toArray()))
  }

/** Parses a CGI response: header lines, an empty line, the body; the status is a header. */
const responseOf = (output: Buffer): Response => {
  const end = output.indexOf('\r\n\r\n')
  if (end < 0) return new Response('git http-backend sent no response\n', { status: 500 })
  const headers = new Headers()
  let status = 200
  for (const line of output.subarray(0, end).toString('latin1').split('\r\n')) {
    const colon = line.indexOf(':')
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()]
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10)
    else headers.append(name, value)
  }
  return new Response(new Uint8Array(output.subarray(end + 4)), { status, headers })
}
