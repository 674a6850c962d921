import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { accountIdentities } from '../../lib/platform/cloud/account-identities.ts'
import { type AwsAnswer, awsRequests } from '../bed/aws/aws-request.ts'
import { awsEmulator, certificateOf } from '../bed/aws/emulator.ts'

// Roles that the hub takes in a tenant's name, in an account that enforces IAM: what sessions may do, and what policies see of them.

const emulator = await awsEmulator({ auth: true })
const { region } = emulator
const root = awsRequests(emulator)

const query = async (service: string, version: string, form: Record<string, string>): Promise<string> => {
  const body = new URLSearchParams({ Version: version, ...form }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { status, text } = await root({ service, method: 'POST', path: '/', headers, body })
  assert.equal(status, 200, text)
  return text
}
const iam = (form: Record<string, string>) => query('iam', '2010-05-08', form)
const textIn = (xml: string, name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? ''
const policy = (...statements: object[]) => JSON.stringify({ Version: '2012-10-17', Statement: statements })

/** A role with far more rights than a hub has use for. */
const makeRole = async (name: string, trusted: readonly string[], more: object = {}): Promise<string> => {
  const statement = (Action: string) => ({
    Effect: 'Allow',
    Principal: { AWS: `arn:aws:iam::${emulator.account}:root` },
    Action,
    ...(Action === 'sts:AssumeRole' && {
      Condition: { StringEquals: { 'sts:ExternalId': 'system:serviceaccount:team-a:deployer' } },
    }),
  })
  const AssumeRolePolicyDocument = policy(...trusted.map(statement))
  const made = await iam({ Action: 'CreateRole', RoleName: name, AssumeRolePolicyDocument })
  const PolicyDocument = policy({ Effect: 'Allow', Action: '*', Resource: '*', ...more })
  await iam({ Action: 'PutRolePolicy', RoleName: name, PolicyName: 'all', PolicyDocument })
  return textIn(made, 'Arn')
}

/** The hub as the account's own user, who may take roles. */
const hub = async () => {
  const name = `hub-${Math.random().toString(36).slice(2)}`
  await iam({ Action: 'CreateUser', UserName: name })
  const PolicyDocument = policy({ Effect: 'Allow', Action: ['sts:AssumeRole', 'sts:TagSession'], Resource: '*' })
  await iam({ Action: 'PutUserPolicy', UserName: name, PolicyName: 'roles', PolicyDocument })
  const key = await iam({ Action: 'CreateAccessKey', UserName: name })
  return { accessKeyId: textIn(key, 'AccessKeyId'), secretAccessKey: textIn(key, 'SecretAccessKey') }
}

const cloud = {
  fetch,
  clock: { now: () => Date.now() },
  environment: { AWS_ENDPOINT_URL: emulator.endpoint },
}

const codeOf = ({ status, text }: AwsAnswer) => (status < 300 ? 'ok' : textIn(text, 'Code') || String(status))

describe('roles of tenants', () => {
  let ownAws: () => ReturnType<typeof hub>
  const s3 = async (role: string, method: string, path: string, namespace = 'team-a') => {
    const annotations = { 'eks.amazonaws.com/role-arn': role }
    const account = { namespace, name: 'deployer', annotations }
    const credentials = await accountIdentities(account, { cloud, ownAws, region }).aws()
    const headers = { 'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }
    return codeOf(await awsRequests({ ...emulator, credentials })({ service: 's3', method, path, headers }))
  }

  before(async () => {
    const { setDefaultCACertificates, getCACertificates } = await import('node:tls')
    setDefaultCACertificates([...getCACertificates(), certificateOf(emulator)!])
    const own = await hub()
    ownAws = async () => own
    const made = await root({ service: 's3', method: 'PUT', path: '/manifests' })
    assert.equal(made.status, 200, made.text)
    await root({ service: 's3', method: 'PUT', path: '/manifests/a.yaml', body: 'kind: ConfigMap' })
  })

  test('a session reads what a source is, and writes nothing, whatever its role may', async () => {
    const role = await makeRole('wide', ['sts:AssumeRole', 'sts:TagSession'])
    assert.equal(await s3(role, 'GET', '/manifests/a.yaml'), 'ok')
    assert.equal(await s3(role, 'PUT', '/manifests/b.yaml'), 'AccessDenied')
    assert.equal(await s3(role, 'DELETE', '/manifests/a.yaml'), 'AccessDenied')
    await assert.rejects(s3(role, 'GET', '/manifests/a.yaml', 'team-b'), /AccessDenied/, 'the external ID is another')
  })

  test('policies know the tenant by the tags of the session', async () => {
    const condition = (namespace: string) => ({
      Condition: { StringEquals: { 'aws:PrincipalTag/keelson:namespace': namespace } },
    })
    const own = await makeRole('own', ['sts:AssumeRole', 'sts:TagSession'], condition('team-a'))
    const others = await makeRole('others', ['sts:AssumeRole', 'sts:TagSession'], condition('team-b'))
    assert.equal(await s3(own, 'GET', '/manifests/a.yaml'), 'ok')
    assert.equal(await s3(others, 'GET', '/manifests/a.yaml'), 'AccessDenied')
  })

  test('a role that lets nobody tag its sessions is taken without tags', async () => {
    const untagged = await makeRole('untagged', ['sts:AssumeRole'])
    assert.equal(await s3(untagged, 'GET', '/manifests/a.yaml'), 'ok')
    assert.equal(await s3(untagged, 'PUT', '/manifests/b.yaml'), 'AccessDenied')
    const tagged = { Condition: { StringEquals: { 'aws:PrincipalTag/keelson:namespace': 'team-a' } } }
    const asks = await makeRole('asks', ['sts:AssumeRole'], tagged)
    assert.equal(await s3(asks, 'GET', '/manifests/a.yaml'), 'AccessDenied')
  })
})
