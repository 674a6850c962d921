/** Clusters of other accounts: a role is taken there with an external ID, and what EKS is shown is that role's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Agent, fetch as undiciFetch } from 'undici'
import { eksAccess } from '../../lib/clusters/client/eks-access.ts'
import type { ClusterAccess } from '../../lib/clusters/client/kubeconfig.ts'
import type { Fetch } from '../../lib/platform/cloud/send-request.ts'
import { awsRequests } from '../bed/aws/aws-request.ts'
import { awsEmulator, certificateOf } from '../bed/aws/emulator.ts'

const otherAccount = '222233334444'
const textIn = (xml: string, name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? ''
const policy = (...statements: object[]) => JSON.stringify({ Version: '2012-10-17', Statement: statements })

test('a cluster of another account is reached as a role there, by its external ID and not without', async () => {
  const emulator = await awsEmulator({ auth: true })
  const { endpoint, region, account, credentials } = emulator
  const iamOf = (accessKeyId: string) => {
    const send = awsRequests({ ...emulator, credentials: { ...credentials, accessKeyId } })
    return async (form: Record<string, string>) => {
      const body = new URLSearchParams({ Version: '2010-05-08', ...form }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const { status, text } = await send({ service: 'iam', method: 'POST', path: '/', headers, body })
      assert.equal(status, 200, text)
      return text
    }
  }
  const [hubIam, clusterIam] = [iamOf(credentials.accessKeyId), iamOf(otherAccount)]
  await hubIam({ Action: 'CreateUser', UserName: 'hub' })
  const PolicyDocument = policy({ Effect: 'Allow', Action: 'sts:AssumeRole', Resource: '*' })
  await hubIam({ Action: 'PutUserPolicy', UserName: 'hub', PolicyName: 'roles', PolicyDocument })
  const key = await hubIam({ Action: 'CreateAccessKey', UserName: 'hub' })
  const own = { accessKeyId: textIn(key, 'AccessKeyId'), secretAccessKey: textIn(key, 'SecretAccessKey') }
  const AssumeRolePolicyDocument = policy({
    Effect: 'Allow',
    Principal: { AWS: `arn:aws:iam::${account}:user/hub` },
    Action: 'sts:AssumeRole',
    Condition: { StringEquals: { 'sts:ExternalId': 'hub-of-platform' } },
  })
  const made = await clusterIam({ Action: 'CreateRole', RoleName: 'clusters', AssumeRolePolicyDocument })
  const roleArn = textIn(made, 'Arn')
  assert.equal(roleArn, `arn:aws:iam::${otherAccount}:role/clusters`)

  const dispatcher = new Agent({ connect: { ca: certificateOf(emulator) } })
  const fetch: Fetch = (url, init) => undiciFetch(url, { ...init, dispatcher })
  const environment = { AWS_ENDPOINT_URL: endpoint }
  const ports = { fetch, clock: { now: () => Date.now() }, environment, identity: async () => own }
  const server = `https://ABC123.gr7.${region}.eks.amazonaws.com`
  const tokenBy = (externalId?: string) =>
    eksAccess(ports).tokens({ clusterName: 'prod', region, roleArn, ...(externalId && { externalId }) }, {
      server,
    } as ClusterAccess)()
  const token = await tokenBy('hub-of-platform')
  // What EKS does with a token: it asks the STS whose it is.
  const url = Buffer.from(token!.slice('k8s-aws-v1.'.length), 'base64url').toString()
  const answer = await undiciFetch(url, { headers: { 'x-k8s-aws-id': 'prod' }, dispatcher })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  assert.equal(textIn(text, 'Account'), otherAccount)
  assert.match(textIn(text, 'Arn'), new RegExp(`^arn:aws:sts::${otherAccount}:assumed-role/clusters/keelson$`))
  await assert.rejects(tokenBy('of-somebody-else'), /AccessDenied/)
  await assert.rejects(tokenBy(), /AccessDenied/)
  await dispatcher.close()
})
