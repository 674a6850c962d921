import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { generateHybridIdentity, identityToRecipient } from 'age-encryption'
import { generateKey } from 'openpgp'
import { sample as ecrPush } from '../../events/registry-push.ts'
import { type FunctionName, functionNames } from '../../infra/functions.ts'
import { awsClients } from '../../lib/adapters/aws/aws-clients.ts'
import { dynamoSchedule } from '../../lib/adapters/aws/dynamo-schedule.ts'
import { dynamoTable } from '../../lib/adapters/aws/table.ts'
import { eksToken } from '../../lib/cloud/aws/eks-token.ts'
import type { GitRepository } from '../../lib/kinds/git-repository.ts'
import type { Kustomization } from '../../lib/kinds/kustomization.ts'
import type { OciRepository } from '../../lib/kinds/oci-repository.ts'
import type { Receiver } from '../../lib/kinds/receiver.ts'
import { deployment } from '../bed/aws/deployment.ts'
import { awsEmulator } from '../bed/aws/emulator.ts'
import { functionUrl } from '../bed/aws/function-url.ts'
import { certificateAuthority } from '../bed/certificates.ts'
import { cluster } from '../bed/cluster.ts'
import { ageLock, encryptSopsYaml, type Lock, pgpLock } from '../bed/encrypt-sops.ts'
import { eventually } from '../bed/eventually.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { becomesItsObjects, collectsInStages, touchesWhatChangedOnly } from '../bed/resource-set-stories.ts'
import { accountOf } from './account.ts'
import { attemptsOf, isOfBuild } from './attempts.ts'
import { configMap, fleet, readyOf, secret, valueIn } from './fleet.ts'
import { askHub, person } from './hub-access.ts'
import { eachActedUponOnce } from './webhook-burst.ts'

const hubName = 'keelson'
/** Of a ResourceSet with three objects for each; 1000 take a minute or two of the emulator. */
const inputs = Number(process.env.KEELSON_RESOURCE_SET_INPUTS ?? 20)
const patient = { within: 120_000, every: 200 }

// Everything in one go: the emulator checks every signature and every IAM policy, so all of this is done with the rights that
// the stack gives.
test('a hub on AWS, as cdk deploys it', async t => {
  const [emulator, target, git] = await Promise.all([
    awsEmulator({ auth: true }),
    cluster(),
    gitRepo({
      'apps/settings.yaml': configMap('settings', 'one'),
      'apps/extra.yaml': configMap('extra', 'one'),
      'hub/rooted.yaml': configMap('rooted', 'one'),
    }),
  ])
  const account = accountOf(emulator)
  const [alice, bob] = [await account.user('alice'), await account.user('bob')]
  const stack = await deployment(emulator, {
    hubName,
    admins: alice.arn,
    rootSource: `${git.url}//hub?ref=main`,
  })
  const authority = certificateAuthority()
  const [api, webhooks] = [
    await functionUrl(emulator, `${hubName}-api`, { certificate: authority.issue('hub') }),
    await functionUrl(emulator, `${hubName}-webhook`, { atOnce: 4 }),
  ]
  setDefaultCACertificates([...getCACertificates(), readFileSync(emulator.certificateFile!, 'utf8')])
  const variables = await account.environmentOf(`${hubName}-tick`)
  const { KEELSON_TABLE: table = '', KEELSON_BUCKET: bucket = '', KEELSON_KMS_KEY: kmsKey = '' } = variables
  const clients = awsClients(emulator)
  t.after(() => clients.close())
  const schedule = dynamoSchedule(dynamoTable(clients.dynamo, table))
  const hub = { hubName, url: api.url, ca: authority.ca }
  const [admin, other] = [await person(emulator, alice, hub), await person(emulator, bob, hub)]
  /** Who deployed it. */
  const operator = await person(emulator, emulator.credentials, hub)
  const kustomization = () => admin.get<Kustomization>('kustomization', 'fleet')

  const callWebhook = async (commit: string, key = secret): Promise<number> => {
    const { status } = await admin.get<Receiver>('receiver', 'github')
    const body = JSON.stringify({ ref: 'refs/heads/main', after: commit })
    const signature = createHmac('sha256', key).update(body).digest('hex')
    const headers = { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': `sha256=${signature}` }
    return (await fetch(`${webhooks.url}${status?.webhookPath}`, { method: 'POST', body, headers })).status
  }
  const urlOf = (queue: string) => `${emulator.endpoint}/${emulator.account}/${hubName}-${queue}`
  const arnOf = (secretName: string) =>
    `arn:aws:secretsmanager:${emulator.region}:${emulator.account}:secret:${secretName}-AAAAAA`
  const send = (queue: string, body: string, delay = 0) =>
    account.json('sqs', 'AmazonSQS.SendMessage', { QueueUrl: urlOf(queue), MessageBody: body, DelaySeconds: delay })
  const waitingIn = async (queue: string): Promise<number> => {
    const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible']
    const request = { QueueUrl: urlOf(queue), AttributeNames }
    const { Attributes } = await account.json<{ Attributes: Record<string, string> }>(
      'sqs',
      'AmazonSQS.GetQueueAttributes',
      request,
    )
    return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name]), 0)
  }

  await t.test('a first tick makes what every hub has', async () => {
    await account.invoke(`${hubName}-tick`, {})
    assert.match(await admin.kubectl('get', 'namespaces'), /default +Active/)
  })

  await t.test('the hub fills itself from the root source', async () => {
    await eventually(async () => {
      const root = await admin.get<Kustomization>('kustomization', 'root', '-n', 'keelson-system')
      assert.equal(readyOf(root), 'True ReconciliationSucceeded')
    }, patient)
    assert.equal(await admin.kubectl('get', 'configmap', 'rooted', '-o', 'jsonpath={.data.value}'), 'one')
  })

  await t.test('keelson kubeconfig finds the hub by its stack', async () => {
    const printed = await operator.keelson('kubeconfig', '--hub', hubName, '--region', emulator.region, '--dry-run')
    assert.match(printed, new RegExp(`server: ${stack.outputs.HubUrl.replace(/\/$/, '')}\\n`))
  })

  await t.test('kubectl fills the hub, and a real cluster becomes as git says', async () => {
    const rows = await admin.lines('get', 'kustomizations', '--watch')
    const applied = await admin.apply(fleet(git, target))
    assert.equal(applied.trim().split('\n').length, 5)
    await eventually(async () => assert.equal(readyOf(await kustomization()), 'True ReconciliationSucceeded'), patient)
    assert.deepEqual([await valueIn(target, 'settings'), await valueIn(target, 'extra')], ['one', 'one'])
    // The watch is one streamed answer of the api function: it has told of the steps while they were taken.
    await eventually(() => assert.match(rows.join('\n'), /fleet .*True +Applied revision: main@sha1:/), patient)
    assert.ok(rows.length > 2, rows.join('\n'))
    assert.match(
      await admin.kubectl('get', 'all,gitrepositories,kustomizations'),
      /stored artifact for revision 'main@sha1:/,
    )
  })

  // Busy while the others wait for messages; that it changes nothing is seen below.
  const again = stack.deploy()
  again.catch(() => {})

  await t.test('our own commands reach the hub with the same kubeconfig', async () => {
    const tree = await admin.keelson(
      'tree',
      'kustomization',
      'fleet',
      '-n',
      'default',
      '--kubeconfig',
      admin.kubeconfig,
    )
    assert.match(tree, /ConfigMap\/default\/settings/)
  })

  await t.test('a push reaches the cluster by the signed webhook, and a forged one is refused', async () => {
    const commit = await git.push({ 'apps/settings.yaml': configMap('settings', 'two'), 'apps/extra.yaml': null })
    assert.equal(await callWebhook(commit, 'not-the-secret'), 400)
    assert.equal(await callWebhook(commit), 200)
    await eventually(
      async () => assert.deepEqual([await valueIn(target, 'settings'), await valueIn(target, 'extra')], ['two', '']),
      patient,
    )
  })

  await t.test('many webhooks at once cause one look at each source that they are about', () =>
    eachActedUponOnce(admin, webhooks.url, 10),
  )

  await t.test('Secrets that SOPS encrypted for OpenPGP and age keys reach the cluster', async () => {
    const pgp = await generateKey({ userIDs: [{ name: 'Team' }], type: 'curve25519' })
    const age = await generateHybridIdentity()
    const locks = { pgp: pgpLock(pgp.publicKey), age: ageLock(await identityToRecipient(age)) }
    const sealed = ([name, lock]: [string, Lock]) => {
      const object = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: 'default' },
        stringData: { key: name },
      }
      return encryptSopsYaml(object, { locks: [lock], encryptedRegex: '^stringData$' })
    }
    const files = await Promise.all(Object.entries(locks).map(sealed))
    await admin.kubectl(
      ...['create', 'secret', 'generic', 'sops', `--from-literal=team.asc=${pgp.privateKey}`],
      `--from-literal=team.agekey=${age}`,
    )
    await admin.apply(`
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: sealed, namespace: default}
spec:
  interval: 1h
  retryInterval: 5s
  prune: true
  path: ./sealed
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {secretRef: {name: target}}
  decryption: {provider: sops, secretRef: {name: sops}}
`)
    assert.equal(await callWebhook(await git.push({ 'sealed/secrets.yaml': files.join('---\n') })), 200)
    const keyOf = (name: string) => target.kubectl('get', 'secret', name, '-o', 'jsonpath={.data.key}')
    await eventually(async () => assert.deepEqual([await keyOf('pgp'), await keyOf('age')], ['cGdw', 'YWdl']), patient)
  })

  await t.test('OC-080 an ECR push asks the OCIRepository that follows it to reconcile', async () => {
    const registry = `${ecrPush.account}.dkr.ecr.${ecrPush.region}.amazonaws.com`
    const named = (name: string, repository: string) => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: ${name}, namespace: default}
spec: {interval: 1h, url: 'oci://${registry}/${repository}', ref: {tag: latest}, suspend: false}
---`
    await admin.apply(named('follows', ecrPush.detail['repository-name']) + named('follows-not', 'something-else'))
    assert.deepEqual(await account.invoke(`${hubName}-registry-event`, ecrPush), { asked: 1 })
    const askedAndDone = async (name: string) => {
      const { metadata, status } = await admin.get<OciRepository>('ocirepository', name)
      return [metadata.annotations?.['reconcile.fluxcd.io/requestedAt'], status?.lastHandledReconcileAt]
    }
    await eventually(async () => {
      const [asked, done] = await askedAndDone('follows')
      assert.ok(asked)
      assert.equal(done, asked)
    }, patient)
    assert.deepEqual(await askedAndDone('follows-not'), [undefined, undefined])
    await admin.kubectl('delete', 'ocirepository', 'follows', 'follows-not')
  })

  await t.test('duplicates and reordering change nothing', async () => {
    const ref = (group: string, kind: string) => ({
      group: `${group}.toolkit.fluxcd.io`,
      kind,
      namespace: 'default',
      name: 'fleet',
    })
    const [source, apply] = [ref('source', 'GitRepository'), ref('kustomize', 'Kustomization')]
    const state = async () => {
      const { spec, status } = await kustomization()
      const { inventory, lastAppliedRevision } = status ?? {}
      const conditions = status?.conditions?.map(({ lastTransitionTime: _, ...condition }) => condition)
      const live = await target.get<{ metadata: { resourceVersion: string } }>('configmap', 'settings')
      const { artifact } = (await admin.get<GitRepository>('gitrepository', 'fleet')).status ?? {}
      return { spec, conditions, inventory, lastAppliedRevision, artifact, version: live.metadata.resourceVersion }
    }
    const before = await state()
    const messages = [
      ...Array.from({ length: 12 }, (_, at) =>
        send('apply', JSON.stringify({ stage: 'apply', ref: apply, group: String(at % 3) }), at % 3),
      ),
      ...Array.from({ length: 6 }, (_, at) => send('source', JSON.stringify({ stage: 'source', ref: source }), at % 2)),
    ]
    await Promise.all(messages)
    const queues = ['source', 'build', 'apply']
    await eventually(async () => {
      for (const queue of queues) assert.equal(await waitingIn(queue), 0, queue)
    }, patient)
    assert.deepEqual(await state(), before)
    for (const queue of queues) assert.equal(await waitingIn(`${queue}-dead-letters`), 0)
  })

  await t.test('a poisoned message ends among the dead letters, and nothing else stops for it', async () => {
    // Five deliveries, each after the time that a function may take: a quarter of an hour, were it not shortened here.
    const attributes = { VisibilityTimeout: '1' }
    await account.json('sqs', 'AmazonSQS.SetQueueAttributes', { QueueUrl: urlOf('apply'), Attributes: attributes })
    await send('apply', '{"stage": "apply", "ref": {"kind": 7}}')
    const commit = await git.push({ 'apps/settings.yaml': configMap('settings', 'three') })
    assert.equal(await callWebhook(commit), 200)
    await eventually(async () => assert.equal(await valueIn(target, 'settings'), 'three'), patient)
    await eventually(async () => assert.equal(await waitingIn('apply-dead-letters'), 1), patient)
    assert.equal(await waitingIn('apply'), 0)
    const { keelson } = await person(emulator, emulator.credentials, hub)
    assert.match(
      await keelson('redrive', '--hub', hubName, '--region', emulator.region, '--stage', 'apply'),
      /1 put back/,
    )
    await eventually(async () => assert.equal(await waitingIn('apply-dead-letters'), 1), patient)
  })

  await t.test('the tick finds what is due when its message was lost', async () => {
    await target.kubectl('delete', 'configmap', 'settings')
    const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name: 'fleet' }
    await schedule.setDue(ref, Date.now() - 1000)
    await account.invoke(`${hubName}-tick`, {})
    await eventually(async () => assert.equal(await valueIn(target, 'settings'), 'three'), patient)
  })

  await t.test('RS-126 a ResourceSet becomes its objects', () => becomesItsObjects(admin, patient))

  await t.test('an input that changes, or goes, touches its own objects only', async t => {
    const { first, changed, removed } = await touchesWhatChangedOnly(admin, inputs, { ...patient, within: 600_000 })
    t.diagnostic(`${3 * inputs} objects in ${first} s; one input changed in ${changed} s, one removed in ${removed} s`)
  })

  await t.test('RS-111 RS-113 what leaves a ResourceSet goes in stages', () => collectsInStages(admin, patient))

  await t.test(
    'refuses who has no token, a forged, an expired or a foreign one, and judges by roles who has',
    async () => {
      const ask = async (token?: string) => {
        const { status, message } = await askHub(hub, '/api/v1/namespaces/default/secrets', token)
        return `${status} ${message}`
      }
      const tokenOf = async (options: Partial<Parameters<typeof eksToken>[1]> = {}) => {
        const scope = { clusterName: hubName, region: emulator.region, endpoint: emulator.endpoint, now: Date.now() }
        return (await eksToken(bob, { ...scope, ...options })).token
      }
      assert.equal(await ask(), '401 Unauthorized')
      assert.equal(await ask('k8s-aws-v1.aaaa'), '401 Unauthorized')
      assert.equal(await ask(await tokenOf({ clusterName: 'another-hub' })), '401 Unauthorized')
      assert.equal(await ask(await tokenOf({ now: Date.now() - 16 * 60_000 })), '401 Unauthorized')
      assert.equal(await ask(await tokenOf({ endpoint: 'https://sts.us-east-1.amazonaws.com' })), '401 Unauthorized')
      const stolen = { ...bob, secretAccessKey: 'x'.repeat(40) }
      const forged = await eksToken(stolen, {
        clusterName: hubName,
        region: emulator.region,
        endpoint: emulator.endpoint,
        now: Date.now(),
      })
      assert.equal(await ask(forged.token), '401 Unauthorized')
      const refusal = `403 secrets is forbidden: User "${bob.arn}" cannot list resource "secrets" in API group "" in the namespace "default"`
      assert.equal(await ask(await tokenOf()), refusal)
    },
  )

  await t.test('aws-auth maps a principal to a user, whose rights a Role tells', async () => {
    assert.match(
      (await other.ending('get', 'kustomizations')).stderr,
      new RegExp(`User "${bob.arn}" cannot list resource`),
    )
    await admin.apply(`
apiVersion: v1
kind: Namespace
metadata: {name: keelson-system}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: aws-auth, namespace: keelson-system}
data:
  mapUsers: |
    - {userarn: '${bob.arn}', username: bob, groups: [viewers]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: viewers, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: Group, name: viewers, apiGroup: rbac.authorization.k8s.io}]
`)
    await eventually(
      async () =>
        assert.match(await other.kubectl('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'), /^bob$/),
      patient,
    )
    await eventually(
      async () => assert.match((await other.ending('get', 'configmaps')).stderr, /No resources found|^$/),
      patient,
    )
    assert.match((await other.ending('get', 'secrets')).stderr, /User "bob" cannot list resource "secrets"/)
  })

  await t.test('deploying again changes nothing', async () => {
    assert.match(await again, /no changes/)
  })

  await t.test('every function may do its own work, and nothing else', async () => {
    const stages = ['source', 'build', 'apply', 'resourceset', 'notify']
    const sending = stages.map(stage => `send ${stage}`)
    const all = ['item', 'decrypt']
    const expected: Record<FunctionName, string[]> = {
      tick: [...all, 'due', 'get artifact', 'delete artifact', ...sending],
      webhook: [...all, 'own secret', ...sending],
      'registry-event': [...all, ...sending],
      api: [...all, ...sending],
      source: [...all, 'get artifact', 'put artifact', 'delete artifact', 'own secret', 'take source', ...sending],
      build: [...all, 'get artifact', 'put artifact', 'own secret', 'take build', ...sending.filter(isOfBuild)],
      apply: [...all, 'get artifact', 'put artifact', 'own secret', 'take apply', ...sending],
      resourceset: [...all, 'get artifact', 'own secret', 'take resourceset', ...sending],
      notify: [...all, 'own secret', 'take notify', 'send notify'],
      openpgp: [],
    }
    const judge = async (name: FunctionName) => {
      const role = await account.roleOf(`${hubName}-${name}`)
      const attempts = Object.entries(attemptsOf(account, role, { table, bucket, kmsKey, urlOf, arnOf, stages }))
      const ended = await Promise.all(attempts.map(async ([what, attempt]) => [what, await attempt()]))
      const may = ended.filter(([, end]) => end !== 'denied').map(([what]) => what)
      assert.deepEqual(may.sort(), expected[name].sort(), name)
    }
    await Promise.all(functionNames.map(judge))
  })

  await t.test('the schedule calls the tick by itself', async () => {
    await eventually(() => assert.match(emulator.log(), /EventBridge . Lambda keelson-tick: dispatched/), {
      within: 75_000,
    })
  })

  await t.test('cdk destroy leaves the data', async () => {
    await stack.destroy()
    const scan = { TableName: table, Select: 'COUNT' }
    const { Count } = await account.json<{ Count: number }>('dynamodb', 'DynamoDB_20120810.Scan', scan)
    assert.ok(Count > 10, `${Count} items are left`)
    const listing = new ListObjectsV2Command({ Bucket: bucket, Prefix: 'artifacts/' })
    const { Contents = [] } = await (await clients.s3()).send(listing)
    assert.ok(Contents.length > 0, 'no artifacts are left')
    const described = await account.json<{ KeyMetadata: { KeyState: string } }>('kms', 'TrentService.DescribeKey', {
      KeyId: kmsKey,
    })
    assert.equal(described.KeyMetadata.KeyState, 'Enabled')
    await assert.rejects(account.invoke(`${hubName}-tick`, {}), /404/)
  })
})
