import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { test } from 'node:test'
import { ambientAwsIdentity } from '../../../../lib/platform/cloud/aws/ambient-identity.ts'
import { awsJsonCall } from '../../../../lib/platform/cloud/aws/json-call.ts'
import { endpointOf } from '../../../../lib/platform/cloud/aws/regions.ts'
import { presignUrl, signRequest } from '../../../../lib/platform/cloud/aws/sign-request.ts'
import { CloudError } from '../../../../lib/platform/cloud/cloud-error.ts'
import { fakeCloud, formOf, processWith, startOfTime } from './fake-cloud.ts'

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const scope = { service: 'service', region: 'us-east-1', now: Date.parse('2015-08-30T12:36:00Z') }

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** The signature as AWS' documents tell to compute it, by another way than the library. */
const signatureOf = (canonicalRequest: string): string => {
  const date = '20150830'
  const text = `AWS4-HMAC-SHA256\n${date}T123600Z\n${date}/us-east-1/service/aws4_request\n${sha256(canonicalRequest)}`
  const key = hmac(hmac(hmac(hmac(`AWS4${credentials.secretAccessKey}`, date), 'us-east-1'), 'service'), 'aws4_request')
  return hmac(key, text).toString('hex')
}

test('signs a request with its method, path, sorted query, headers and body', async () => {
  const body = 'Param1=value1'
  const headers = { 'content-type': 'text/plain' }
  const url = 'https://example.amazonaws.com/a%20b?z=1&a=2'
  const signed = await signRequest({ method: 'POST', url, headers, body }, credentials, scope)
  const names = 'content-type;host;x-amz-content-sha256;x-amz-date'
  const canonical = [
    'POST',
    '/a%2520b',
    'a=2&z=1',
    'content-type:text/plain',
    'host:example.amazonaws.com',
    `x-amz-content-sha256:${sha256(body)}`,
    'x-amz-date:20150830T123600Z',
    '',
    names,
    sha256(body),
  ].join('\n')
  assert.equal(
    signed.authorization,
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signatureOf(canonical)}`,
  )
})

test('presigns a URL together with the headers that must be sent along', async () => {
  const url = 'https://sts.us-east-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15'
  const headers = { 'x-k8s-aws-id': 'my-cluster' }
  const text = await presignUrl({ method: 'GET', url, headers }, credentials, { ...scope, expiresInS: 60 })
  const presigned = new URL(text)
  const signature = presigned.searchParams.get('X-Amz-Signature')
  const query = text
    .split('?')[1]!
    .split('&')
    .filter(part => !part.startsWith('X-Amz-Signature='))
    .sort()
    .join('&')
  const canonical = [
    'GET',
    '/',
    query,
    'host:sts.us-east-1.amazonaws.com',
    'x-k8s-aws-id:my-cluster',
    '',
    'host;x-k8s-aws-id',
    sha256(''),
  ].join('\n')
  assert.equal(signature, signatureOf(canonical))
  assert.equal(presigned.searchParams.get('X-Amz-Expires'), '60')
})

test('the keys of the environment come first, with their session token', async () => {
  const { fetch } = fakeCloud({})
  const environment = { AWS_ACCESS_KEY_ID: 'AK', AWS_SECRET_ACCESS_KEY: 'SK', AWS_SESSION_TOKEN: 'ST' }
  const identity = ambientAwsIdentity(processWith({ fetch, environment }))
  assert.deepEqual(await identity(), { accessKeyId: 'AK', secretAccessKey: 'SK', sessionToken: 'ST' })
})

const stsAnswer = (action: string, id: string, expires: string) => ({
  text: `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials>
    <AccessKeyId>${id}</AccessKeyId><SecretAccessKey>secret&amp;more</SecretAccessKey><SessionToken>session</SessionToken>
    <Expiration>${expires}</Expiration></Credentials></${action}Result></${action}Response>`,
})

test('a web identity token is exchanged for credentials, once until shortly before they expire', async () => {
  const { fetch, asked } = fakeCloud({
    'POST sts.eu-west-1.amazonaws.com/': () => stsAnswer('AssumeRoleWithWebIdentity', 'ASIA1', '2026-11-21T13:00:00Z'),
  })
  const environment = {
    AWS_WEB_IDENTITY_TOKEN_FILE: '/token',
    AWS_ROLE_ARN: 'arn:aws:iam::1:role/x',
    AWS_REGION: 'eu-west-1',
  }
  const ports = processWith({ fetch, environment }, { '/token': 'a.b.c\n' })
  const identity = ambientAwsIdentity(ports)
  const [first] = await Promise.all([identity(), identity()])
  assert.deepEqual(first, {
    accessKeyId: 'ASIA1',
    secretAccessKey: 'secret&more',
    sessionToken: 'session',
    expiresAt: startOfTime + 3_600_000,
  })
  assert.deepEqual(formOf(asked[0]!), {
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: 'arn:aws:iam::1:role/x',
    RoleSessionName: 'keelson',
    WebIdentityToken: 'a.b.c',
  })
  ports.clock.time += 54 * 60_000
  await identity()
  assert.equal(asked.length, 1)
  ports.clock.time += 2 * 60_000
  await identity()
  assert.equal(asked.length, 2)
})

test('a profile with role_arn is assumed with the keys of its source profile', async () => {
  const { fetch, asked } = fakeCloud({
    'POST sts.us-east-1.amazonaws.com/': () => stsAnswer('AssumeRole', 'ASIA2', '2026-11-21T13:00:00Z'),
  })
  const files = {
    '/home/me/.aws/config':
      '[profile deploy]\nrole_arn = arn:aws:iam::2:role/deploy\nsource_profile = base\nexternal_id=e\n',
    '/home/me/.aws/credentials': '# mine\n[base]\naws_access_key_id = AK\naws_secret_access_key = SK=\n',
  }
  const ports = processWith({ fetch, environment: { HOME: '/home/me' } }, files)
  assert.equal((await ambientAwsIdentity(ports, 'deploy')()).accessKeyId, 'ASIA2')
  const { Action, RoleArn, ExternalId } = formOf(asked[0]!)
  assert.deepEqual(
    { Action, RoleArn, ExternalId },
    { Action: 'AssumeRole', RoleArn: 'arn:aws:iam::2:role/deploy', ExternalId: 'e' },
  )
  assert.match(asked[0]!.headers.get('authorization') ?? '', /Credential=AK\/20261121\/us-east-1\/sts\/aws4_request/)
})

test('source profiles in a circle are named', async () => {
  const config = '[profile a]\nrole_arn=r\nsource_profile=b\n[profile b]\nrole_arn=r\nsource_profile=a\n'
  const ports = processWith({ fetch: fakeCloud({}).fetch, environment: { AWS_CONFIG_FILE: '/c' } }, { '/c': config })
  await assert.rejects(ambientAwsIdentity(ports, 'a')(), {
    message: 'AWS: source profiles form a cycle: a -> b -> a',
  })
})

test('the metadata service is only used if it is enabled', async () => {
  const { fetch } = fakeCloud({})
  const metadata = fakeCloud({
    'PUT 169.254.169.254/latest/api/token': () => ({ text: 'imds' }),
    'GET 169.254.169.254/latest/meta-data/iam/security-credentials/': () => ({ text: 'node-role' }),
    'GET 169.254.169.254/latest/meta-data/iam/security-credentials/node-role': () => ({
      json: { AccessKeyId: 'ASIA3', SecretAccessKey: 's', Token: 't', Expiration: '2026-11-21T18:00:00Z' },
    }),
  })
  await assert.rejects(ambientAwsIdentity(processWith({ fetch }))(), /no credentials/)
  const identity = ambientAwsIdentity(processWith({ fetch, metadataFetch: metadata.fetch }))
  assert.equal((await identity()).accessKeyId, 'ASIA3')
  assert.equal(metadata.asked[2]!.headers.get('x-aws-ec2-metadata-token'), 'imds')
})

test('a refusal names the operation and the code, and no key', async () => {
  const { fetch } = fakeCloud({
    'POST kms.eu-west-1.amazonaws.com/': () => ({
      status: 400,
      json: { __type: 'com.amazonaws.kms#AccessDeniedException', message: 'User x is not\nauthorized' },
    }),
  })
  const call = awsJsonCall(processWith({ fetch }), {
    endpoint: endpointOf('kms', 'eu-west-1'),
    service: 'kms',
    region: 'eu-west-1',
    target: 'TrentService.Decrypt',
    body: {},
    credentials,
  })
  await assert.rejects(call, (error: CloudError) => {
    assert.ok(error instanceof CloudError)
    assert.deepEqual([error.status, error.code], [400, 'AccessDeniedException'])
    assert.equal(
      error.message,
      'AWS: Decrypt: kms.eu-west-1.amazonaws.com returned 400 AccessDeniedException: User x is not\\nauthorized',
    )
    return true
  })
})

test('an invalid region never becomes part of a host', () => {
  for (const region of ['x.evil.com/', 'eu-west-1.evil.com', '', 'eu-west-1@evil'])
    assert.throws(() => endpointOf('kms', region), /is not an AWS region/)
  assert.equal(endpointOf('kms', 'cn-north-1'), 'https://kms.cn-north-1.amazonaws.com.cn')
  assert.equal(endpointOf('kms', 'us-gov-west-1'), 'https://kms.us-gov-west-1.amazonaws.com')
})
