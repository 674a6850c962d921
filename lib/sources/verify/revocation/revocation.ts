import type { Certificate } from '../x509/certificate.ts'
import { distributionPointUrls, extensionIds, ocspResponderUrls } from '../x509/extensions.ts'
import { deltaListUrls, requireBase, requireDelta, requireList, statusInLists } from './crl.ts'
import { requireScope } from './crl-scope.ts'
import { ocspRequest, readOcspResponse } from './ocsp.ts'
import type { RevocationClient } from './revocation-client.ts'
import { type RevocationList, readList } from './revocation-list.ts'
import { isRevocationUnavailable, RevocationUnavailable } from './revocation-unavailable.ts'
import type { RevocationStatus, StatusQuery } from './status-query.ts'

export interface ChainStatus {
  readonly status: RevocationStatus | 'unknown'
  /** The certificate concerned, unless all are good. */
  readonly certificate?: Certificate
  /** Why its status is unknown. */
  readonly reason?: string
}

/** Checks certificates for revocation as notation does: OCSP first, lists if no responder responds. */
export interface Revocation {
  /** The status of a verified chain, up to its root, which can't be revoked. */
  statusOf(chain: readonly Certificate[], now: Date, signedAt?: Date): Promise<ChainStatus>
}

const MAX_SERVERS = 5
const ocspLimits = { timeoutMs: 2_000, maxBytes: 20 << 10 }
const listLimits = { timeoutMs: 5_000, maxBytes: 32 << 20 }

/** Requests go through `client`. A revoked certificate decides, then one of unknown status. */
export const revocation = (client: RevocationClient): Revocation => ({
  async statusOf(chain, now, signedAt) {
    const all = await Promise.all(
      chain.slice(0, -1).map(async (certificate, index): Promise<ChainStatus> => {
        try {
          const status = await statusFrom({ certificate, issuer: chain[index + 1]!, now, signedAt }, client)
          return { status, certificate }
        } catch (error) {
          if (!isRevocationUnavailable(error)) throw error
          return { status: 'unknown', certificate, reason: error.message }
        }
      }),
    )
    return (
      all.find(({ status }) => status === 'revoked') ??
      all.find(({ status }) => status === 'unknown') ?? { status: 'good' }
    )
  },
})

const statusFrom = async (query: StatusQuery, client: RevocationClient): Promise<RevocationStatus> => {
  const { extensions } = query.certificate
  const access = extensions.get(extensionIds.authorityAccess)
  const points = extensions.get(extensionIds.crlPoints)
  const responders = access ? ocspResponderUrls(access.value) : []
  const lists = points ? distributionPointUrls(points.value) : []
  if (responders.length + lists.length > MAX_SERVERS)
    throw new RevocationUnavailable('the certificate lists too many servers')
  if (responders.length === 0) return lists.length === 0 ? 'good' : fromLists(query, lists, client)
  return fromResponders(query, responders, client).catch(error => {
    if (isRevocationUnavailable(error) && lists.length > 0) return fromLists(query, lists, client)
    throw error
  })
}

/** Uses the first response. */
const fromResponders = async (
  query: StatusQuery,
  urls: readonly string[],
  client: RevocationClient,
): Promise<RevocationStatus> => {
  const request = ocspRequest(query)
  let problem: unknown
  for (const url of urls) {
    try {
      return await client.fetch(ocspHttpRequest(url, request), response => readOcspResponse(response, query))
    } catch (error) {
      if (!isRevocationUnavailable(error) || (error instanceof RevocationUnavailable && error.isFinal)) throw error
      problem = error
    }
  }
  throw problem
}

const MAX_GET = 255

/** Short requests use GET, which caches support (RFC 5019). */
const ocspHttpRequest = (url: string, request: Buffer) => {
  const encoded = encodeURIComponent(request.toString('base64'))
  return encoded.length < MAX_GET
    ? { ...ocspLimits, url: `${url.replace(/\/$/, '')}/${encoded}` }
    : { ...ocspLimits, url, body: request, contentType: 'application/ocsp-request' }
}

/** All lists are required, as each may be one part of several. */
const fromLists = async (
  query: StatusQuery,
  urls: readonly string[],
  client: RevocationClient,
): Promise<RevocationStatus> => {
  for (const url of urls) {
    const base = await fetchList(url, query, client, requireBase)
    const delta = await fetchDelta(base, query, client)
    if (statusInLists(delta ? [base, delta] : [base], query) === 'revoked') return 'revoked'
  }
  return 'good'
}

const fetchList = (
  url: string,
  { certificate, issuer, now }: StatusQuery,
  client: RevocationClient,
  requireFit: (list: RevocationList) => void,
): Promise<RevocationList> =>
  client.fetch({ ...listLimits, url }, response => {
    const list = readList(response)
    requireList(list, issuer, now)
    requireScope(list, certificate)
    requireFit(list)
    return list
  })

const fetchDelta = async (
  base: RevocationList,
  query: StatusQuery,
  client: RevocationClient,
): Promise<RevocationList | undefined> => {
  const urls = deltaListUrls(base)
  if (urls.length === 0 && deltaListUrls(query.certificate).length > 0) {
    throw new RevocationUnavailable('a freshest CRL in the certificate alone is not supported')
  }
  let problem: unknown
  for (const url of urls.slice(0, MAX_SERVERS)) {
    try {
      return await fetchList(url, query, client, delta => requireDelta(delta, base))
    } catch (error) {
      if (!isRevocationUnavailable(error)) throw error
      problem = error
    }
  }
  if (problem) throw problem
  return undefined
}
