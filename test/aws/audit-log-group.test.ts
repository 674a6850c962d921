/** The audit log on AWS: what the writer puts into a log group, and what the bundle of the API does. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { apiSample } from '../../events/function-url.ts'
import { sample as minute } from '../../events/tick.ts'
import { bundleFunctions } from '../../infra/bundle.ts'
import { auditPolicyFile } from '../../infra/functions.ts'
import { auditLogGroup } from '../../lib/compose/aws/audit-log-group.ts'
import { composeCloud } from '../../lib/compose/cloud.ts'
import { loopbackRanges } from '../../lib/foundations/rules/address-policy.ts'
import type { AuditEvent } from '../../lib/hub/apiserver/audit/audit-event.ts'
import { systemClock } from '../../lib/platform/adapters/embedded/system-clock.ts'
import { eksToken } from '../../lib/platform/cloud/aws/eks-token.ts'
import { awsRequests } from '../bed/aws/aws-request.ts'
import { deployFunction } from '../bed/aws/deploy-function.ts'
import { awsEmulator } from '../bed/aws/emulator.ts'
import { logGroups } from '../bed/aws/log-groups.ts'
import { tempDir } from '../bed/temp-dir.ts'
import { hubOnAws } from './hub-environment.ts'

const emulator = await awsEmulator()
const logs = logGroups(emulator)

const writerFor = (group: string, stream: string) => {
  const clock = systemClock
  const cloud = composeCloud(clock, {
    allowAddresses: [...loopbackRanges],
    forbidAddresses: [],
    metadataService: false,
  })
  after(() => cloud.close())
  const environment = { AWS_ENDPOINT_URL: emulator.endpoint }
  const identity = async () => emulator.credentials
  return auditLogGroup({ ...cloud, environment, clock }, { group, stream, region: emulator.region, identity })
}

const event = (auditID: string, at: number): AuditEvent => ({
  ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Metadata', auditID, stage: 'ResponseComplete' },
  ...{ requestURI: '/api', verb: 'get', user: { username: 'jane' }, sourceIPs: ['192.0.2.1'] },
  ...{ requestReceivedTimestamp: new Date(at).toISOString(), stageTimestamp: new Date(at).toISOString() },
})

test('events stand in the log group in the order of their times, whole, also those of two processes', async () => {
  const group = `audit-${randomUUID()}`
  await logs.create(group)
  const now = Date.now()
  const [one, other] = [writerFor(group, '2026/11/28/[$LATEST]one'), writerFor(group, '2026/11/28/[$LATEST]other')]
  await Promise.all([
    ...[3, 1, 2].map(at => one.write(event(`one-${at}`, now + at))),
    ...[4, 0].map(at => other.write(event(`other-${at}`, now + at))),
  ])
  const found = (await logs.messages(group)).map(message => JSON.parse(message) as AuditEvent)
  assert.deepEqual(found.map(({ auditID }) => auditID).sort(), ['one-1', 'one-2', 'one-3', 'other-0', 'other-4'])
  assert.deepEqual(
    found.find(({ auditID }) => auditID === 'one-2'),
    event('one-2', now + 2),
  )
})

test('an event is not on record, and says so, while the log group is missing', async () => {
  const group = `audit-${randomUUID()}`
  const writer = writerFor(group, 'one')
  await assert.rejects(writer.write(event('a', Date.now())), /ResourceNotFoundException/)
  await logs.create(group)
  await writer.write(event('b', Date.now()))
  assert.equal((await logs.messages(group)).length, 1)
})

test('the bundle of the API puts requests on record by the policy of the deployment, and no value of a Secret', async () => {
  const { clients, environment } = await hubOnAws(emulator)
  after(() => clients.close())
  const group = `audit-${randomUUID()}`
  await logs.create(group)
  const bundles = tempDir()
  await bundleFunctions(['apiserver', 'tick'], bundles)
  const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - {level: RequestResponse, namespaces: [default]}
  - {level: None}
`
  writeFileSync(join(bundles, 'apiserver', auditPolicyFile), policy)
  const hubName = environment.KEELSON_HUB_NAME!
  await deployFunction(emulator, {
    ...{ name: `${hubName}-apiserver`, folder: join(bundles, 'apiserver') },
    environment: {
      ...environment,
      KEELSON_ADMINS: JSON.stringify([`arn:aws:iam::${emulator.account}:root`]),
      KEELSON_AUDIT_LOG_GROUP: group,
      KEELSON_AUDIT_POLICY_FILE: auditPolicyFile,
    },
  })
  await deployFunction(emulator, { name: `${hubName}-tick`, environment, folder: join(bundles, 'tick') })
  const aws = awsRequests(emulator)
  const invoke = (name: string, content: object) => {
    const path = `/2015-03-31/functions/${hubName}-${name}/invocations`
    return aws({ service: 'lambda', method: 'POST', path, body: JSON.stringify(content) })
  }
  await invoke('tick', minute)
  const scope = { clusterName: hubName, region: emulator.region, endpoint: emulator.endpoint, now: Date.now() }
  const { token } = await eksToken(emulator.credentials, scope)
  const ask = async (method: string, rawPath: string, content?: object): Promise<number> => {
    const { text } = await invoke('apiserver', {
      ...{ ...apiSample, rawPath, headers: { ...apiSample.headers, authorization: `Bearer ${token}` } },
      requestContext: { ...apiSample.requestContext, http: { ...apiSample.requestContext.http, method } },
      ...(content && { body: JSON.stringify(content) }),
    })
    const [head = ''] = (JSON.parse(text) as string).split('\0\0\0\0\0\0\0\0')
    return JSON.parse(head).statusCode
  }

  const planted = 'value-of-a-secret'
  const secrets = '/api/v1/namespaces/default/secrets'
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' }, stringData: { key: planted } }
  assert.equal(await ask('POST', secrets, secret), 201)
  assert.equal(await ask('GET', `${secrets}/one`), 200)
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { key: 'shown' } }
  assert.equal(await ask('POST', '/api/v1/namespaces/default/configmaps', configMap), 201)
  assert.equal(await ask('GET', '/api/v1/namespaces'), 200)

  const messages = await logs.messages(group)
  const events = messages.map(message => JSON.parse(message) as AuditEvent)
  assert.deepEqual(
    events.map(({ verb, level, objectRef, responseStatus }) => [
      verb,
      level,
      `${objectRef?.resource}/${objectRef?.name}`,
      responseStatus?.code,
    ]),
    [
      ['create', 'Metadata', 'secrets/one', 201],
      ['get', 'Metadata', 'secrets/one', 200],
      ['create', 'RequestResponse', 'configmaps/one', 201],
    ],
  )
  assert.equal(events[0]!.sourceIPs.at(-1), apiSample.requestContext.http.sourceIp)
  assert.deepEqual((events[2]!.requestObject as { data: object }).data, { key: 'shown' })
  for (const form of [planted, Buffer.from(planted).toString('base64')]) assert.ok(!messages.join().includes(form))
})
