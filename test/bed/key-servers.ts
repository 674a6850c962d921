import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  generateKeyPairSync,
  type KeyPairKeyObjectResult,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  verify,
} from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'
import { isObject, type JsonObject } from '../../lib/engines/yaml/json-value.ts'
import type { Fetch } from '../../lib/platform/cloud/send-request.ts'
import type { Lock } from './encrypt-sops.ts'

/** A request to one of the services, as it came over the wire. */
export interface Asked {
  readonly host: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/**
 * Key services of the clouds on a local server, speaking their protocols: AWS KMS and STS, Azure Key Vault and Entra, Google
 * KMS and OAuth, Vault's transit engine. They check what they are shown, and encrypt data keys for tests.
 */
export interface KeyServers extends AsyncDisposable {
  /** Reaches them under the clouds' own names, and nothing else. */
  readonly fetch: Fetch
  readonly asked: readonly Asked[]
  /** Where Vault listens: its address is part of a file, so it has no name of its own. */
  readonly vaultAddress: string
  readonly locks: Readonly<Record<'kms' | 'azure' | 'gcp' | 'vault', Lock>>
}

export interface Expected {
  /** AWS access key ids that may decrypt. */
  readonly awsKeys: readonly string[]
  /** The AWS role that may be taken, and with which external ID. */
  readonly awsRole?: { readonly arn: string; readonly externalId?: string }
  readonly azureSecret: string
  /** PEM of the public key of the Google service account. */
  readonly googlePublicKey?: string
  readonly vaultToken: string
  readonly vaultRole?: string
}

export const kmsArn = 'arn:aws:kms:eu-west-1:111122223333:key/612d5f0a-01f3-45e6-aca6-a5b005693a48'
export const gcpKey = 'projects/p/locations/global/keyRings/r/cryptoKeys/sops'
export const vaultUrl = 'https://team.vault.azure.net'
const context = { team: 'a' }

export const startKeyServers = async (expected: Expected): Promise<KeyServers> => {
  const asked: Asked[] = []
  const secret = randomBytes(32)
  const rsa = vaultKeyPair()
  const answers: Readonly<Record<string, (asked: Asked) => JsonObject | string>> = {
    'kms.eu-west-1.amazonaws.com': request => kms(request, expected, secret),
    'sts.eu-west-1.amazonaws.com': request => sts(request, expected),
    'login.microsoftonline.com': request => entra(request, expected),
    'team.vault.azure.net': request => keyVault(request, rsa.privateKey),
    'oauth2.googleapis.com': request => googleToken(request, expected),
    'cloudkms.googleapis.com': request => googleKms(request, secret),
  }
  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming)
    asked.push(request)
    answer(response, () => (answers[request.host] ?? (r => vault(r, expected, secret)))(request))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fetch: Fetch = async (url, { method, headers, body, signal }) => {
    const { host, pathname, search } = new URL(url)
    const known = host in answers || url.startsWith(`${address}/`)
    if (!known) throw new TypeError('fetch failed', { cause: new Error(`getaddrinfo ENOTFOUND ${host}`) })
    const target = `${address}${pathname}${search}`
    const {
      statusCode,
      headers: answered,
      body: content,
    } = await request(target, {
      method: method as 'POST',
      headers: { ...headers, 'x-asked-host': host },
      body: body ?? null,
      signal,
    })
    return { status: statusCode, headers: new Headers(answered as Record<string, string>), body: content }
  }
  return {
    fetch,
    asked,
    vaultAddress: address,
    locks: {
      kms: async dataKey => [
        'kms',
        { arn: kmsArn, context, created_at: '2026-01-01T00:00:00Z', enc: seal(secret, dataKey), aws_profile: '' },
      ],
      azure: async dataKey => {
        const padding = { key: rsa.publicKey, oaepHash: 'sha256' }
        const enc = publicEncrypt(padding, dataKey).toString('base64url')
        return [
          'azure_kv',
          { vault_url: vaultUrl, name: 'sops', version: 'v1', created_at: '2026-01-01T00:00:00Z', enc },
        ]
      },
      gcp: async dataKey => [
        'gcp_kms',
        { resource_id: gcpKey, created_at: '2026-01-01T00:00:00Z', enc: seal(secret, dataKey) },
      ],
      vault: async dataKey => [
        'hc_vault',
        {
          vault_address: address,
          engine_path: 'sops/transit',
          key_name: 'first',
          created_at: '2026-01-01T00:00:00Z',
          enc: `vault:v1:${seal(secret, dataKey)}`,
        },
      ],
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve, reject) => {
        server.closeAllConnections()
        server.close(error => (error ? reject(error) : resolve()))
      }),
  }
}

/** Made once: it takes longer than all else. */
const vaultKeyPair = (() => {
  let made: KeyPairKeyObjectResult | undefined
  return () => {
    made ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
    return made
  }
})()

class Refused extends Error {
  readonly status: number
  readonly answer: JsonObject
  constructor(status: number, answer: JsonObject) {
    super()
    this.status = status
    this.answer = answer
  }
}

const readRequest = async (incoming: IncomingMessage): Promise<Asked> => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const { headers, url = '/' } = incoming
  return { host: String(headers['x-asked-host'] ?? ''), path: url, headers, body: Buffer.concat(chunks).toString() }
}

const answer = (response: ServerResponse, make: () => JsonObject | string): void => {
  try {
    const made = make()
    response.end(typeof made === 'string' ? made : JSON.stringify(made))
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    response.statusCode = error.status
    response.end(JSON.stringify(error.answer))
  }
}

const kms = ({ headers, body }: Asked, { awsKeys }: Expected, secret: Buffer): JsonObject => {
  const [, id = ''] = /Credential=([^/]+)\/\d{8}\/eu-west-1\/kms\/aws4_request/.exec(headers.authorization ?? '') ?? []
  if (!awsKeys.includes(id))
    throw new Refused(400, { __type: 'UnrecognizedClientException', message: 'The security token is invalid.' })
  const { KeyId, CiphertextBlob, EncryptionContext } = JSON.parse(body) as Record<string, unknown>
  const isIntended = KeyId === kmsArn && isObject(EncryptionContext) && EncryptionContext.team === context.team
  if (!isIntended) throw new Refused(400, { __type: 'InvalidCiphertextException' })
  return { Plaintext: unseal(secret, String(CiphertextBlob)), KeyId }
}

const sts = ({ body }: Asked, { awsRole }: Expected): string => {
  const form = new URLSearchParams(body)
  const isIntended =
    form.get('RoleArn') === awsRole?.arn && (form.get('ExternalId') ?? undefined) === awsRole?.externalId
  if (!isIntended) throw new Refused(403, { Code: 'AccessDenied' })
  return `<R><AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2100-01-01T00:00:00Z</Expiration></R>`
}

const entra = ({ path, body }: Asked, { azureSecret }: Expected): JsonObject => {
  const form = new URLSearchParams(body)
  const proof = form.get('client_secret') ?? form.get('client_assertion_type') ?? ''
  const isKnown = proof === azureSecret || proof.endsWith('jwt-bearer')
  if (!isKnown || path !== '/tenant/oauth2/v2.0/token') throw new Refused(401, { error: 'invalid_client' })
  return { access_token: `for ${form.get('scope')}`, expires_in: 3600, token_type: 'Bearer' }
}

const keyVault = ({ path, headers, body }: Asked, key: Parameters<typeof privateDecrypt>[0] & object): JsonObject => {
  if (headers.authorization !== 'Bearer for https://vault.azure.net/.default') {
    throw new Refused(401, { error: { code: 'Unauthorized', message: 'no valid token' } })
  }
  const { alg, value } = JSON.parse(body) as Record<string, string>
  if (!path.startsWith('/keys/sops/v1/decrypt?') || alg !== 'RSA-OAEP-256')
    throw new Refused(404, { error: { code: 'KeyNotFound' } })
  const plain = privateDecrypt({ key: key as never, oaepHash: 'sha256' }, Buffer.from(value ?? '', 'base64url'))
  return { kid: `${vaultUrl}/keys/sops/v1`, value: plain.toString('base64url') }
}

const googleToken = ({ body }: Asked, { googlePublicKey }: Expected): JsonObject => {
  const [header = '', claims = '', signature = ''] = (new URLSearchParams(body).get('assertion') ?? '').split('.')
  const isSigned =
    googlePublicKey !== undefined &&
    verify(
      'sha256',
      Buffer.from(`${header}.${claims}`),
      createPublicKey(googlePublicKey),
      Buffer.from(signature, 'base64url'),
    )
  if (!isSigned) throw new Refused(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' })
  return { access_token: 'google', expires_in: 3599 }
}

const googleKms = ({ path, headers, body }: Asked, secret: Buffer): JsonObject => {
  if (headers.authorization !== 'Bearer google')
    throw new Refused(401, { error: { code: 401, status: 'UNAUTHENTICATED', message: 'no token' } })
  if (path !== `/v1/${gcpKey}:decrypt`) throw new Refused(404, { error: { status: 'NOT_FOUND' } })
  return { plaintext: unseal(secret, (JSON.parse(body) as { ciphertext: string }).ciphertext) }
}

const vault = ({ path, headers, body }: Asked, { vaultToken, vaultRole }: Expected, secret: Buffer): JsonObject => {
  const asked = JSON.parse(body || '{}') as Record<string, string>
  if (path === '/v1/auth/kubernetes/login') {
    if (asked.role !== vaultRole || !asked.jwt) throw new Refused(403, { errors: ['permission denied'] })
    return { auth: { client_token: vaultToken } }
  }
  if (headers['x-vault-token'] !== vaultToken) throw new Refused(403, { errors: ['permission denied'] })
  if (path !== '/v1/sops/transit/decrypt/first') throw new Refused(404, { errors: [] })
  return { data: { plaintext: unseal(secret, (asked.ciphertext ?? '').replace('vault:v1:', '')) } }
}

const seal = (secret: Buffer, plain: Uint8Array): string => {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', secret, iv)
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64')
}

const unseal = (secret: Buffer, sealed: string): string => {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('base64')
}
