import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Certificate, certificateAuthority } from './certificates.ts'
import { registryBinary } from './registry-binary.ts'
import { disposableDir } from './temp-dir.ts'

export interface RegistryOptions {
  /** Requests without these are answered with 401, over HTTP basic. */
  readonly auth?: { readonly username: string; readonly password: string }
  /** Goes into distribution's configuration, as YAML (`auth: ...`). */
  readonly configuration?: string
  /** Serve HTTPS with a certificate of a fresh authority; `mutual`: and only to clients with a certificate of it. */
  readonly tls?: boolean | 'mutual'
  /** Further names that the certificate is for. */
  readonly names?: readonly string[]
}

export interface RegistryRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
}

/** A real registry that keeps everything in memory, behind a proxy that sees all requests. */
export interface RegistryServer extends AsyncDisposable {
  /** `127.0.0.1:<port>`. */
  readonly host: string
  /** The registry itself, past the proxy: without TLS, and nobody counts. */
  readonly directOrigin: string
  readonly requests: RegistryRequest[]
  /** PEM of the authority a client must trust, with TLS. */
  readonly ca?: string
  /** A certificate that the server accepts from clients, with TLS. */
  readonly clientCertificate?: Certificate
  /** When set, sees each request first; what it answers (by returning true) never reaches the registry. For faults. */
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean
}

const common = `version: 0.1
log: { level: error, accesslog: { disabled: true } }
storage: { inmemory: {}, delete: { enabled: true } }
http: { relativeurls: true }
`

export async function registryServer({
  auth,
  configuration = '',
  tls,
  names,
}: RegistryOptions = {}): Promise<RegistryServer> {
  const directory = disposableDir()
  const file = join(directory.path, 'registry.yaml')
  writeFileSync(file, common + configuration)
  const credentials = auth ? [`${auth.username}:${auth.password}`] : []
  const registry = spawn(await registryBinary(), [file, ...credentials], { stdio: ['pipe', 'pipe', 'inherit'] })
  registry.stdin.on('error', () => {})
  const died = once(registry, 'exit').then(() => {
    throw new Error('the registry ended before it was ready')
  })
  const [ready = ''] = (await Promise.race([once(createInterface(registry.stdout), 'line'), died])) as [string]
  died.catch(() => {})
  const [hostname = '', port = ''] = ready.replace(/^ready /, '').split(':')

  const requests: RegistryRequest[] = []
  const authority = tls ? certificateAuthority() : undefined
  const answer = (asked: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url: path = '/', headers } = asked
    requests.push({ method, path, headers })
    if (server.intercept?.(asked, response)) return
    const passed = request({ hostname, port, method, path, headers }, answered => {
      response.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(response)
    })
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    asked.pipe(passed)
  }
  const listener = authority
    ? createHttpsServer(
        { ...authority.issue('registry', names), ca: authority.ca, requestCert: tls === 'mutual' },
        answer,
      )
    : createHttpServer(answer)
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))

  const server: RegistryServer = {
    host: `127.0.0.1:${(listener.address() as AddressInfo).port}`,
    directOrigin: `http://${hostname}:${port}`,
    requests,
    ...(authority && { ca: authority.ca, clientCertificate: authority.issue('client') }),
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections()
      await new Promise(resolve => listener.close(resolve))
      const exit = once(registry, 'exit')
      registry.stdin.end()
      await exit
      await directory[Symbol.asyncDispose]()
    },
  }
  return server
}
