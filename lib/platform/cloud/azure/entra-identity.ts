import { createHash, type KeyObject, randomUUID, X509Certificate } from 'node:crypto'
import type { AccessToken } from '../access-token.ts'
import { CloudError } from '../cloud-error.ts'
import type { CloudPorts } from '../cloud-ports.ts'
import { requestJson, textOr } from '../send-request.ts'
import { rsaKey, signedJwt } from '../signed-jwt.ts'
import { cachedByResource } from './cached-by-resource.ts'
import { azureClouds } from './clouds.ts'
import type { AzureIdentity } from './identity.ts'

export interface EntraClient {
  readonly tenantId: string
  readonly clientId: string
  /** Absent = the public cloud's. */
  readonly authorityHost?: string
}

/** A service principal that authenticates with a client secret. */
export const clientSecretIdentity = (
  ports: CloudPorts,
  client: EntraClient & { readonly secret: string },
): AzureIdentity => entraIdentity(ports, client, async () => ({ client_secret: client.secret }))

/**
 * A service principal that authenticates with a certificate: PEM of its key, which a password may protect, and of its certificates. `sendChain`
 * sends these along, which Entra needs if it trusts a subject and issuer rather than one certificate.
 */
export const clientCertificateIdentity = (
  ports: CloudPorts,
  client: EntraClient & {
    readonly certificate: string
    readonly password?: string | undefined
    readonly sendChain?: boolean
  },
): AzureIdentity => {
  const { key, chain } = readCertificate(client)
  const assertion = async () => assertedBy(clientAssertion(ports, client, key, chain))
  return entraIdentity(ports, client, assertion)
}

/** A service principal that trusts the issuer of an OIDC token: workload identity federation. */
export const federatedIdentity = (
  ports: CloudPorts,
  client: EntraClient & { readonly token: () => Promise<string> },
): AzureIdentity => entraIdentity(ports, client, async () => assertedBy(await client.token()))

type ClientAuthentication = Readonly<Record<string, string>>

const assertedBy = (token: string): ClientAuthentication => ({
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion: token,
})

const entraIdentity = (
  ports: CloudPorts,
  client: EntraClient,
  authenticate: () => Promise<ClientAuthentication>,
): AzureIdentity =>
  cachedByResource(async (resource): Promise<AccessToken> => {
    const { fetch, clock } = ports
    const requestedAt = clock.now()
    const response = await requestJson(fetch, {
      service: 'Azure',
      what: `token of client ${client.clientId}`,
      url: tokenUrlOf(client),
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: client.clientId,
        scope: `${resource}/.default`,
        ...(await authenticate()),
      }).toString(),
    })
    return accessTokenIn(response, requestedAt)
  }, ports.clock.now)

/** The access token in an OAuth response to a request made at `requestedAt` (ms since the epoch). Fails with CloudError if there is none. */
const accessTokenIn = (response: Readonly<Record<string, unknown>>, requestedAt: number): AccessToken => {
  const token = textOr(response.access_token)
  const seconds = Number(response.expires_in)
  if (token && seconds > 0) return { token, expiresAt: requestedAt + seconds * 1000 }
  throw new CloudError('Azure', 'the response has no access token')
}

const tokenUrlOf = ({ tenantId, authorityHost }: EntraClient): string => {
  if (!/^[\w.-]+$/.test(tenantId)) throw new CloudError('Azure', 'the tenant id is neither a UUID nor a domain')
  return `${authorityOf(authorityHost)}/${tenantId}/oauth2/v2.0/token`
}

const authorityOf = (given: string = azureClouds.public.authorityHost): string => {
  const url = URL.parse(given.includes('://') ? given : `https://${given}`)
  if (url?.protocol !== 'https:') throw new CloudError('Azure', 'the authority host must be an https URL')
  return url.origin
}

const privateKey = /-----BEGIN ((?:RSA |ENCRYPTED )?PRIVATE KEY)-----[\s\S]+?-----END \1-----/

const readCertificate = ({
  certificate,
  password,
}: {
  readonly certificate: string
  readonly password?: string | undefined
}) => {
  const blocks = certificate.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []
  const key = rsaKey(privateKey.exec(certificate)?.[0] ?? '', password)
  const own = key && blocks.map(parseCertificate).find(each => each?.checkPrivateKey(key))
  if (!own) {
    throw new CloudError('Azure', 'the client certificate must be PEM with an RSA private key and its certificate')
  }
  const others = blocks.map(parseCertificate).filter(each => each && each.fingerprint256 !== own.fingerprint256)
  return { key, chain: [own, ...others] as X509Certificate[] }
}

const parseCertificate = (pem: string): X509Certificate | undefined => {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

const clientAssertion = (
  { clock }: CloudPorts,
  client: EntraClient & { readonly sendChain?: boolean },
  key: KeyObject,
  chain: readonly X509Certificate[],
): string => {
  const now = Math.floor(clock.now() / 1000)
  const thumbprint = createHash('sha256').update(chain[0]!.raw).digest('base64url')
  const x5c = client.sendChain ? { x5c: chain.map(({ raw }) => raw.toString('base64')) } : {}
  return signedJwt(
    key,
    { alg: 'PS256', 'x5t#S256': thumbprint, ...x5c },
    {
      aud: tokenUrlOf(client),
      iss: client.clientId,
      sub: client.clientId,
      jti: randomUUID(),
      nbf: now - 60,
      iat: now,
      exp: now + 600,
    },
  )
}
