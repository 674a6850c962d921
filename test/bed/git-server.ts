import { spawn } from 'node:child_process'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { gunzipSync } from 'node:zlib'
import { type Certificate, certificateAuthority } from './certificates.ts'
import { gitEnv } from './git.ts'

export type GitAuth = { readonly username: string; readonly password: string } | { readonly token: string }

export interface GitServerOptions {
  /** Requests without these credentials (HTTP basic, or a bearer token) are answered with 401. */
  readonly auth?: GitAuth
  /** Serve HTTPS with a certificate of a fresh authority; `mutual`: and only to clients with a certificate of it. */
  readonly tls?: boolean | 'mutual'
}

/** What a client wanted: the advertisement (`info/refs`), a protocol v2 command, a v0 fetch, or a push. */
export type GitOperation = 'advertise' | 'ls-refs' | 'fetch' | 'push' | 'other'

export interface GitRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly operation: GitOperation
  /** 0 while it is being answered. */
  readonly status: number
  readonly headers: IncomingMessage['headers']
}

/** A smart-HTTP server (git's own http-backend) for the bare repositories below a directory. */
export interface GitServer extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string
  /** All requests so far, in the order of their arrival. */
  readonly requests: GitRequest[]
  /** PEM of the authority a client must trust, with TLS. */
  readonly ca?: string
  /** A certificate that the server accepts from clients, with TLS. */
  readonly clientCertificate?: Certificate
  /** When set, sees each request first; what it answers (by returning true) never reaches git. For faults. */
  intercept?: (request: IncomingMessage, response: ServerResponse, body: Buffer) => boolean
}

export async function gitServer(root: string, { auth, tls }: GitServerOptions = {}): Promise<GitServer> {
  const authority = tls ? certificateAuthority() : undefined
  const requests: GitRequest[] = []

  const answer: RequestListener = async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const body = await buffer(request)
    const seen = {
      method: request.method ?? 'GET',
      path: url.pathname + url.search,
      operation: operationOf(url, body, request.headers['content-encoding']),
      status: 0,
      headers: request.headers,
    }
    requests.push(seen)
    response.once('close', () => {
      seen.status = response.statusCode
    })
    if (it.intercept?.(request, response, body)) return
    if (auth && !isAuthorized(request.headers.authorization, auth)) {
      const scheme = 'token' in auth ? 'Bearer' : 'Basic'
      response.writeHead(401, { 'WWW-Authenticate': `${scheme} realm="git"` }).end('Unauthorized\n')
      return
    }
    await httpBackend(root, url, request, body, response).catch(error => response.destroy(error))
  }

  const server = authority
    ? createHttpsServer(
        { ...authority.issue('git server'), ...(tls === 'mutual' && { ca: authority.ca, requestCert: true }) },
        answer,
      )
    : createHttpServer(answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const it: GitServer = {
    url: `${authority ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    ...(authority && { ca: authority.ca, clientCertificate: authority.issue('git client') }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => (server as Server).close(resolve))
    },
  }
  return it
}

function isAuthorized(header: string | undefined, auth: GitAuth): boolean {
  if ('token' in auth) return header === `Bearer ${auth.token}`
  return header === `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`
}

/** Exported for its tests. */
export function operationOf(url: URL, body: Uint8Array, encoding?: string): GitOperation {
  if (url.pathname.endsWith('/info/refs')) return 'advertise'
  if (url.pathname.endsWith('/git-receive-pack')) return 'push'
  if (!url.pathname.endsWith('/git-upload-pack')) return 'other'
  const plain = encoding === 'gzip' ? gunzipSync(body) : Buffer.from(body)
  // A v2 request starts with the packet `<4 hex digits of length>command=<name>`; v0 has `want` there, which fetches.
  return plain.toString('latin1', 4, 32).startsWith('command=ls-refs') ? 'ls-refs' : 'fetch'
}

/** One request through `git http-backend`, a CGI program. */
async function httpBackend(
  root: string,
  url: URL,
  request: IncomingMessage,
  body: Uint8Array,
  response: ServerResponse,
) {
  const header = (name: string) => String(request.headers[name] ?? '')
  const git = spawn('git', ['-c', 'http.receivepack=true', 'http-backend'], {
    env: {
      ...gitEnv,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: header('content-type'),
      CONTENT_LENGTH: String(body.length),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      GIT_PROTOCOL: header('git-protocol'),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  git.stdin.on('error', () => {}) // it may answer without reading everything
  git.stdin.end(body)
  response.once('close', () => git.kill()) // the client may leave early
  await pipeline(
    git.stdout,
    async function* (chunks: AsyncIterable<Buffer>) {
      let head: Buffer | undefined = Buffer.alloc(0)
      for await (const chunk of chunks) {
        if (!head) {
          yield chunk
          continue
        }
        head = Buffer.concat([head, chunk])
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) continue
        writeHead(response, head.toString('latin1', 0, end))
        yield head.subarray(end + 4)
        head = undefined
      }
      if (head) response.writeHead(502)
    },
    response,
  )
}

/** CGI's header lines; `Status` is the code, 200 when absent. */
function writeHead(response: ServerResponse, head: string): void {
  response.statusCode = 200
  for (const line of head.split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
    if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10)
    else if (name) response.setHeader(name, value)
  }
}
