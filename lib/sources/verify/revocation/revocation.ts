import type { Certificate } from '../x509/certificate.ts'
import { extensionIds, pointsIn, respondersIn } from '../x509/extensions.ts'
import { deltaPointsOf, requireBase, requireDelta, requireList, statusInLists } from './crl.ts'
import { requireScope } from './crl-scope.ts'
import { ocspRequest, readOcspResponse } from './ocsp.ts'
import type { RevocationClient } from './revocation-client.ts'
import { type RevocationList, readList } from './revocation-list.ts'
import { isRevocationUnavailable, RevocationUnavailable } from './revocation-unavailable.ts'
import type { RevocationStatus, StatusQuery } from './status-query.ts'

export interface ChainStatus {
  readonly is: RevocationStatus | 'unknown'
  /** The certificate that it is about, unless all are good. */
  readonly certificate?: Certificate
  /** Why nothing is known of it. */
  readonly why?: string
}

/** Whether certificates were revoked, as notation finds out: OCSP is asked first, lists where nobody answers. */
export interface Revocation {
  /** Of a chain that is known to be one, up to its root, which nobody can revoke. */
  standingOf(chain: readonly Certificate[], now: Date, signedAt?: Date): Promise<ChainStatus>
}

const MAX_SERVERS = 5
const ocspLimits = { timeoutMs: 2_000, most: 20 << 10 }
const listLimits = { timeoutMs: 5_000, most: 32 << 20 }

export const revocation = (evidence: RevocationClient): Revocation => ({
  async standingOf(chain, now, signedAt) {
    const all = await Promise.all(
      chain.slice(0, -1).map(async (certificate, index): Promise<ChainStatus> => {
        try {
          const is = await ask({ certificate, issuer: chain[index + 1]!, now, signedAt }, evidence)
          return { is, certificate }
        } catch (error) {
          if (!isRevocationUnavailable(error)) throw error
          return { is: 'unknown', certificate, why: error.message }
        }
      }),
    )
    return all.find(({ is }) => is === 'revoked') ?? all.find(({ is }) => is === 'unknown') ?? { is: 'good' }
  },
})

const ask = async (question: StatusQuery, evidence: RevocationClient): Promise<RevocationStatus> => {
  const { extensions } = question.certificate
  const access = extensions.get(extensionIds.authorityAccess)
  const points = extensions.get(extensionIds.crlPoints)
  const responders = access ? respondersIn(access.value) : []
  const lists = points ? pointsIn(points.value) : []
  if (responders.length + lists.length > MAX_SERVERS) throw new RevocationUnavailable('it names too many servers')
  if (responders.length === 0) return lists.length === 0 ? 'good' : askLists(question, lists, evidence)
  return askResponders(question, responders, evidence).catch(error => {
    if (isRevocationUnavailable(error) && lists.length > 0) return askLists(question, lists, evidence)
    throw error
  })
}

/** The first that answers counts. */
const askResponders = async (
  question: StatusQuery,
  urls: readonly string[],
  evidence: RevocationClient,
): Promise<RevocationStatus> => {
  const request = ocspRequest(question)
  let problem: unknown
  for (const url of urls) {
    try {
      return await evidence.ask(ocspInquiry(url, request), answer => readOcspResponse(answer, question))
    } catch (error) {
      if (!isRevocationUnavailable(error) || (error instanceof RevocationUnavailable && error.isAnswer)) throw error
      problem = error
    }
  }
  throw problem
}

const MAX_GET = 255

/** Short ones are asked with GET, which caches understand (RFC 5019). */
const ocspInquiry = (url: string, request: Buffer) => {
  const encoded = encodeURIComponent(request.toString('base64'))
  return encoded.length < MAX_GET
    ? { ...ocspLimits, url: `${url.replace(/\/$/, '')}/${encoded}` }
    : { ...ocspLimits, url, body: request, contentType: 'application/ocsp-request' }
}

/** Every list must be had, as each may be but a part. */
const askLists = async (
  question: StatusQuery,
  urls: readonly string[],
  evidence: RevocationClient,
): Promise<RevocationStatus> => {
  for (const url of urls) {
    const base = await fetchList(url, question, evidence, requireBase)
    const delta = await fetchDelta(base, question, evidence)
    if (statusInLists(delta ? [base, delta] : [base], question) === 'revoked') return 'revoked'
  }
  return 'good'
}

const fetchList = (
  url: string,
  { certificate, issuer, now }: StatusQuery,
  evidence: RevocationClient,
  requireFit: (list: RevocationList) => void,
): Promise<RevocationList> =>
  evidence.ask({ ...listLimits, url }, answer => {
    const list = readList(answer)
    requireList(list, issuer, now)
    requireScope(list, certificate)
    requireFit(list)
    return list
  })

const fetchDelta = async (
  base: RevocationList,
  question: StatusQuery,
  evidence: RevocationClient,
): Promise<RevocationList | undefined> => {
  const urls = deltaPointsOf(base)
  if (urls.length === 0 && deltaPointsOf(question.certificate).length > 0) {
    throw new RevocationUnavailable('a freshest CRL that only the certificate names is not supported')
  }
  let problem: unknown
  for (const url of urls.slice(0, MAX_SERVERS)) {
    try {
      return await fetchList(url, question, evidence, delta => requireDelta(delta, base))
    } catch (error) {
      if (!isRevocationUnavailable(error)) throw error
      problem = error
    }
  }
  if (problem) throw problem
  return undefined
}
