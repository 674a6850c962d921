import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { parse, stringify } from 'yaml'
import { certificateAuthority } from './certificates.ts'

export interface RecordedRequest {
  /** Its place in the order in which requests came. */
  readonly arrival: number
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
  readonly status: number
  readonly contentType: string
  readonly answer: string
}

/** A proxy between a client and a Kubernetes API that records requests and responses. */
export interface RecordingProxy extends AsyncDisposable {
  /** Path of a kubeconfig that leads through here. */
  readonly kubeconfig: string
  /** In the order in which the answers ended; all of them once the proxy is disposed of, which ends watches. */
  readonly requests: RecordedRequest[]
}

/** Called when a request has arrived, and when its response has: cuts the client's connection then, if it resolves to true. */
export type Cut = (path: string, stage: 'request' | 'response') => Promise<boolean>

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { server: string; 'certificate-authority-data': string } }]
}

export async function recordingProxy(kubeconfig: string, cut?: Cut): Promise<RecordingProxy> {
  const config = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig
  const [{ cluster }] = config.clusters
  const target = { server: cluster.server, ca: Buffer.from(cluster['certificate-authority-data'], 'base64') }
  const authority = certificateAuthority()
  const requests: RecordedRequest[] = []
  let arrivals = 0
  const inFlight = new Set<Promise<unknown>>()

  const proxy = createServer(authority.issue('recording proxy'), async (incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming
    const arrival = arrivals++
    const body = await buffer(incoming)
    if (await cut?.(path, 'request')) return void outgoing.destroy()
    // Uncompressed answers can be read; the client does not notice.
    const passed = { ...headers, 'accept-encoding': 'identity', host: new URL(target.server).host }
    const asked = httpsRequest(target.server + path, { method, headers: passed, ca: target.ca }, answer => {
      const chunks: Buffer[] = []
      answer.on('data', chunk => chunks.push(chunk))
      if (cut)
        answer.once('end', async () => {
          if (await cut(path, 'response')) return void outgoing.destroy()
          outgoing.writeHead(answer.statusCode!, answer.headers).end(Buffer.concat(chunks))
        })
      else answer.pipe(outgoing.writeHead(answer.statusCode!, answer.headers))
      answer.once('close', () => {
        requests.push({
          arrival,
          method,
          path,
          headers: headers as RecordedRequest['headers'],
          body,
          status: answer.statusCode!,
          contentType: answer.headers['content-type'] ?? '',
          answer: Buffer.concat(chunks).toString(),
        })
      })
    })
    // Not by `once` of node:events, which fails with what the request fails with.
    const ended = new Promise(resolve => asked.once('close', resolve)).finally(() => inFlight.delete(ended))
    inFlight.add(ended)
    asked.once('error', error => outgoing.destroy(error))
    outgoing.once('close', () => asked.destroy())
    asked.end(body)
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))

  cluster.server = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  cluster['certificate-authority-data'] = Buffer.from(authority.ca).toString('base64')
  const through = join(dirname(kubeconfig), 'recorded.kubeconfig')
  writeFileSync(through, stringify(config), { mode: 0o600 })
  return {
    kubeconfig: through,
    requests,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections()
      await new Promise(resolve => proxy.close(resolve))
      await Promise.all(inFlight)
    },
  }
}
