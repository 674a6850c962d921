import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { guardedAgent } from '../../../lib/platform/http/guarded-agent.ts'
import { revocation } from '../../../lib/sources/verify/revocation/revocation.ts'
import { revocationClient } from '../../../lib/sources/verify/revocation/revocation-client.ts'
import { readCertificate } from '../../../lib/sources/verify/x509/certificate.ts'
import { type Issued, opensslAuthority, signerExtensions } from '../../bed/openssl-authority.ts'
import { endWithTest } from '../../bed/teardown.ts'

export type Answer = Buffer | number

/** Servers that certificates name: what is asked of them, and what they answer. Nothing = they hang. */
const openServer = async () => {
  const answers = new Map<string, (request: Buffer, incoming: IncomingMessage) => Answer | undefined>()
  const asked: string[] = []
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const [, place = '', encoded = ''] = /^\/([^/]*)\/?(.*)$/.exec(incoming.url!)!
    asked.push(`${incoming.method} ${place}`)
    const request = chunks.length > 0 ? Buffer.concat(chunks) : Buffer.from(decodeURIComponent(encoded), 'base64')
    const answer = answers.get(place)?.(request, incoming)
    if (typeof answer === 'number') outgoing.writeHead(answer).end()
    else if (answer) outgoing.end(answer)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  endWithTest({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, answers, asked: () => asked.splice(0) }
}

/** An authority whose certificates name servers of the test's own. */
export const openWorld = async (places: { readonly ocsp?: readonly string[]; readonly lists?: readonly string[] }) => {
  const server = await openServer()
  const authority = opensslAuthority()
  const { ocsp = [], lists = [] } = places
  const named = [
    ...signerExtensions,
    ...(ocsp.length > 0 ? [`authorityInfoAccess=${ocsp.map(place => `OCSP;URI:${server.url}/${place}`).join()}`] : []),
    ...(lists.length > 0 ? [`crlDistributionPoints=${lists.map(place => `URI:${server.url}/${place}`).join()}`] : []),
  ]
  let now = Date.now() + 1000
  const agent = guardedAgent()
  endWithTest({ [Symbol.asyncDispose]: () => agent.destroy() })
  const { statusOf } = revocation(revocationClient(agent, { now: () => now }))
  const look = async (signer: Issued, signedAt?: Date): Promise<string> => {
    const chain = [signer.text, authority.root].map(pem => readCertificate(Buffer.from(pem)))
    const { status, reason } = await statusOf(chain, new Date(now), signedAt)
    return reason ? `${status}: ${reason}` : status
  }
  const advance = (ms: number) => {
    now += ms
  }
  return { ...server, authority, named, look, advance, issue: () => authority.issue('signer', { extensions: named }) }
}

export const hour = 60 * 60_000
