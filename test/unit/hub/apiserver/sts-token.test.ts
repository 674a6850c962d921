import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readStsToken, TokenRefused } from '../../../../lib/hub/apiserver/authentication/sts-token.ts'
import { presignUrl } from '../../../../lib/platform/cloud/aws/sign-request.ts'

const origin = 'https://sts.eu-west-1.amazonaws.com'
const now = Date.parse('2026-11-21T12:00:00Z')
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session+/=' }

interface Signing {
  readonly url?: string
  readonly headers?: Record<string, string>
  readonly at?: number
  readonly expiresInS?: number
}

const signedUrl = ({
  url = `${origin}/?Action=GetCallerIdentity&Version=2011-06-15`,
  headers = { 'x-k8s-aws-id': 'keelson' },
  at = now,
  expiresInS = 60,
}: Signing = {}): Promise<string> =>
  presignUrl({ method: 'GET', url, headers }, credentials, { service: 'sts', region: 'eu-west-1', now: at, expiresInS })

const tokenOf = (url: string): string => `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`

const read = (token: string): unknown => {
  try {
    return readStsToken(token, origin, now)
  } catch (error) {
    assert.ok(error instanceof TokenRefused, String(error))
    return error.message.replace('token refused: ', '')
  }
}

/** A good URL with one thing changed. */
const changed = async (change: (url: URL) => void): Promise<string> => {
  const url = new URL(await signedUrl())
  change(url)
  return tokenOf(url.href)
}

test('takes what aws eks get-token makes, until a quarter of an hour after it was signed', async () => {
  const url = await signedUrl({ at: now - 60_000 })
  const { url: read, expiresAt } = readStsToken(tokenOf(url), origin, now)
  assert.equal(new URL(read).searchParams.get('X-Amz-SignedHeaders'), 'host;x-k8s-aws-id')
  assert.equal(read, new URL(url).href)
  assert.equal(expiresAt, now + 14 * 60_000)
})

test('takes tokens without a session token, and any expiry up to that of Flux', async () => {
  assert.equal(typeof read(await changed(url => url.searchParams.delete('X-Amz-Security-Token'))), 'object')
  assert.equal(typeof read(tokenOf(await signedUrl({ expiresInS: 900 }))), 'object')
})

test('refuses what is no such token', async () => {
  const good = await signedUrl()
  const refusals = {
    '': 'it does not begin with k8s-aws-v1.',
    [Buffer.from(good).toString('base64url')]: 'it does not begin with k8s-aws-v1.',
    [`k8s-aws-v2.${Buffer.from(good).toString('base64url')}`]: 'it does not begin with k8s-aws-v1.',
    'k8s-aws-v1.': 'it is not base64url without padding',
    'k8s-aws-v1.a+b/': 'it is not base64url without padding',
    'k8s-aws-v1.aaaa=': 'it is not base64url without padding',
    [tokenOf('')]: 'it is not base64url without padding',
    [tokenOf('no url')]: 'it does not contain a URL',
    [tokenOf(`file:///etc/passwd`)]: 'it does not contain a URL',
    [tokenOf(` ${good}`)]: 'it does not contain a URL',
    [tokenOf(`${good}\n`)]: 'it does not contain a URL',
    [tokenOf(good.replace('https://', 'https://\t'))]: 'it does not contain a URL',
    [tokenOf(good.replace('https://', 'https:\\\\'))]: 'it does not contain a URL',
    [tokenOf(good.replace('sts', 'sts\u00e9'))]: 'it does not contain a URL',
    [tokenOf(`https://[::1`)]: 'it does not contain a URL',
    [`k8s-aws-v1.${'a'.repeat(8192)}`]: 'it is longer than 8192 characters',
  }
  assert.deepEqual(Object.fromEntries(Object.keys(refusals).map(token => [token, read(token)])), refusals)
})

test('sends requests only to the STS of its own region', async () => {
  const good = await signedUrl()
  const elsewhere = [
    'https://sts.us-east-1.amazonaws.com',
    'https://sts.amazonaws.com',
    'https://sts.eu-west-1.amazonaws.com.cn',
    'https://sts.eu-west-1.amazonaws.com.evil.example',
    'https://sts.eu-west-1.amazonaws.com@evil.example',
    'https://evil.example#sts.eu-west-1.amazonaws.com',
    'https://evil.example/sts.eu-west-1.amazonaws.com',
    'https://sts.eu-west-1.amazonaws.com:8443',
    'http://sts.eu-west-1.amazonaws.com',
    'https://169.254.169.254',
    'https://[::1]',
  ]
  for (const host of elsewhere)
    assert.equal(read(tokenOf(good.replace(origin, host))), `it is not for the STS of this hub, ${origin}`, host)
})

test('requests only the identity of the caller', async () => {
  const refusals: [string, (url: URL) => void][] = [
    [
      'its URL contains more than host, path and query',
      url => {
        url.username = 'user'
      },
    ],
    [
      'its URL contains more than host, path and query',
      url => {
        url.password = 'password'
      },
    ],
    [
      'its URL contains more than host, path and query',
      url => {
        url.hash = '#fragment'
      },
    ],
    [
      'the path of its URL is not /',
      url => {
        url.pathname = '/other'
      },
    ],
    [
      'the path of its URL is not /',
      url => {
        url.pathname = '//'
      },
    ],
    ['Action is missing or invalid', url => url.searchParams.set('Action', 'AssumeRole')],
    ['Action is missing or invalid', url => url.searchParams.set('Action', 'getcalleridentity')],
    ['Action is missing or invalid', url => url.searchParams.delete('Action')],
    ['Action is given twice', url => url.searchParams.append('Action', 'GetCallerIdentity')],
    ['Version is missing or invalid', url => url.searchParams.set('Version', '2010-01-01')],
    ['Version is missing or invalid', url => url.searchParams.delete('Version')],
    ['its URL has a parameter that GetCallerIdentity does not have', url => url.searchParams.set('RoleArn', 'x')],
    [
      'its URL has a parameter that GetCallerIdentity does not have',
      url => url.searchParams.set('action', 'AssumeRole'),
    ],
    [
      'its URL has a parameter that GetCallerIdentity does not have',
      url => url.searchParams.set('x-amz-date', '20261121T120000Z'),
    ],
    ['its URL has a parameter that GetCallerIdentity does not have', url => url.searchParams.set('__proto__', 'x')],
    ['its URL has a parameter that GetCallerIdentity does not have', url => url.searchParams.set('constructor', 'x')],
    ['X-Amz-Algorithm is missing or invalid', url => url.searchParams.set('X-Amz-Algorithm', 'AWS4-ECDSA-P256-SHA256')],
    [
      'X-Amz-Credential is missing or invalid',
      url => url.searchParams.set('X-Amz-Credential', 'AKID/20261121/eu-west-1/s3/aws4_request'),
    ],
    ['X-Amz-Signature is missing or invalid', url => url.searchParams.delete('X-Amz-Signature')],
    ['X-Amz-Signature is missing or invalid', url => url.searchParams.set('X-Amz-Signature', 'z'.repeat(64))],
    ['X-Amz-Signature is given twice', url => url.searchParams.append('X-Amz-Signature', 'a'.repeat(64))],
    ['X-Amz-Security-Token is given twice', url => url.searchParams.append('X-Amz-Security-Token', 'another')],
  ]
  for (const [refusal, change] of refusals) assert.equal(read(await changed(change)), refusal)
})

test('wants the header signed that binds a token to its hub, and none that nobody could send along', async () => {
  const refusal = 'the signed headers are not host and x-k8s-aws-id'
  assert.equal(read(tokenOf(await signedUrl({ headers: {} }))), refusal)
  assert.equal(read(tokenOf(await signedUrl({ headers: { 'x-k8s-aws-id': 'keelson', 'x-more': 'x' } }))), refusal)
  assert.equal(read(await changed(url => url.searchParams.set('X-Amz-SignedHeaders', 'x-k8s-aws-id'))), refusal)
  assert.equal(read(await changed(url => url.searchParams.set('X-Amz-SignedHeaders', 'host;host'))), refusal)
  assert.equal(read(await changed(url => url.searchParams.set('X-Amz-SignedHeaders', 'host;x-k8s-aws-idx'))), refusal)
  assert.equal(
    read(await changed(url => url.searchParams.delete('X-Amz-SignedHeaders'))),
    'X-Amz-SignedHeaders is missing or invalid',
  )
})

test('wants tokens fresh, by a clock that may differ by five minutes', async () => {
  const minute = 60_000
  const signedAt = async (at: number) => read(tokenOf(await signedUrl({ at })))
  assert.equal(await signedAt(now - 15 * minute), 'it has expired')
  assert.equal(typeof (await signedAt(now - 15 * minute + 1000)), 'object')
  assert.equal(typeof (await signedAt(now + 5 * minute)), 'object')
  assert.equal(await signedAt(now + 5 * minute + 1000), 'it was signed in the future: the clocks differ')
  const withDate = (date: string) => changed(url => url.searchParams.set('X-Amz-Date', date))
  assert.equal(read(await withDate('20261341T120000Z')), 'X-Amz-Date is not a date')
  assert.equal(read(await withDate('2026-11-21T12:00:00Z')), 'X-Amz-Date is missing or invalid')
  const withExpiry = (expires: string) => changed(url => url.searchParams.set('X-Amz-Expires', expires))
  for (const expires of ['0', '901', '9999'])
    assert.equal(read(await withExpiry(expires)), 'X-Amz-Expires is not 1 to 900')
  for (const expires of ['', '-1', '1.5', '99999'])
    assert.match(String(read(await withExpiry(expires))), /^X-Amz-Expires is missing/)
})

test('reveals nothing of a refused token', async () => {
  const url = await signedUrl({ at: 0 })
  const signature = new URL(url).searchParams.get('X-Amz-Signature')!
  for (const token of [tokenOf(url), tokenOf(`${url}&more=1`), tokenOf(`x${url}`)]) {
    assert.doesNotMatch(String(read(token)), new RegExp(`${signature}|AKID|session`))
  }
})
