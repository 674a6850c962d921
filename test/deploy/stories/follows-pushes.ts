import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { generateHybridIdentity, identityToRecipient } from 'age-encryption'
import { generateKey } from 'openpgp'
import type { GitRepository } from '../../../lib/foundations/kinds/git-repository.ts'
import type { Kustomization } from '../../../lib/foundations/kinds/kustomization.ts'
import type { Run } from '../../../lib/foundations/kinds/run.ts'
import { dynamoSchedule } from '../../../lib/platform/adapters/aws/dynamo-schedule.ts'
import { dynamoTable } from '../../../lib/platform/adapters/aws/table.ts'
import { ageLock, encryptSopsYaml, type Lock, pgpLock } from '../../bed/encrypt-sops.ts'
import { eventually } from '../../bed/eventually.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { configMap, valueIn } from '../fleet.ts'

const ref = (group: string, kind: string) => ({
  group: `${group}.toolkit.fluxcd.io`,
  kind,
  namespace: 'default',
  name: 'fleet',
})
const [source, kustomization] = [ref('source', 'GitRepository'), ref('kustomize', 'Kustomization')]

/** From a push to the cluster, whatever happens to the messages in between. The fleet is this story's alone. */
export function followsPushes(hub: DeployedHub): void {
  const { hubName, emulator, git, target, admin, operator, queues, callWebhook } = hub
  const schedule = dynamoSchedule(dynamoTable(hub.clients.dynamo, hub.table))
  const isEmpty = async (queue: string) => assert.equal(await queues.waitingIn(queue), 0, queue)

  describe('follows pushes', inOrder, () => {
    test('a push reaches the cluster by the signed webhook, and a forged one is refused', async () => {
      const commit = await git.push({ 'apps/settings.yaml': configMap('settings', 'two'), 'apps/extra.yaml': null })
      assert.equal(await callWebhook(commit, 'not-the-secret'), 400)
      assert.equal(await callWebhook(commit), 200)
      await eventually(
        async () => assert.deepEqual([await valueIn(target, 'settings'), await valueIn(target, 'extra')], ['two', '']),
        patient,
      )
    })

    test('and what it changed is on record', async () => {
      await eventually(async () => {
        const selector = 'unit.kind=Kustomization,unit.name=fleet'
        const { items } = await admin.get<{ items: readonly Run[] }>('runs', '--field-selector', selector)
        const run = items.find(({ cause }) => cause.type === 'Source')
        const changes = (run?.changes ?? []).map(({ name, action, fields }) => [name, action, fields])
        assert.deepEqual(changes, [
          ['settings', 'configured', [{ path: 'data.value', before: 'one', after: 'two' }]],
          ['extra', 'deleted', undefined],
        ])
        assert.equal(run?.cluster?.name, 'target')
      }, patient)
    })

    test('Secrets that SOPS encrypted for OpenPGP and age keys reach the cluster', async () => {
      const pgp = await generateKey({ userIDs: [{ name: 'Team' }], type: 'curve25519' })
      const age = await generateHybridIdentity()
      const locks = { pgp: pgpLock(pgp.publicKey), age: ageLock(await identityToRecipient(age)) }
      const sealed = ([name, lock]: [string, Lock]) => {
        const metadata = { name, namespace: 'default' }
        const object = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { key: name } }
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
      await eventually(
        async () => assert.deepEqual([await keyOf('pgp'), await keyOf('age')], ['cGdw', 'YWdl']),
        patient,
      )
    })

    test('duplicates and reordering change nothing', async () => {
      const state = async () => {
        const { spec, status } = await admin.get<Kustomization>('kustomization', 'fleet')
        const { inventory, lastAppliedRevision } = status ?? {}
        const conditions = status?.conditions?.map(({ lastTransitionTime: _, ...condition }) => condition)
        const live = await target.get<{ metadata: { resourceVersion: string } }>('configmap', 'settings')
        const { artifact } = (await admin.get<GitRepository>('gitrepository', 'fleet')).status ?? {}
        return { spec, conditions, inventory, lastAppliedRevision, artifact, version: live.metadata.resourceVersion }
      }
      const revision = `main@sha1:${(await git.git('rev-parse', 'main')).trim()}`
      await eventually(async () => assert.equal((await state()).lastAppliedRevision, revision), patient)
      const before = await state()
      const applies = Array.from({ length: 12 }, (_, at) =>
        queues.send('apply', { stage: 'apply', ref: kustomization, group: String(at % 3) }, at % 3),
      )
      const looks = Array.from({ length: 6 }, (_, at) =>
        queues.send('source', { stage: 'source', ref: source }, at % 2),
      )
      await Promise.all([...applies, ...looks])
      const stages = ['source', 'build', 'apply']
      await eventually(async () => {
        for (const stage of stages) await isEmpty(stage)
      }, patient)
      assert.deepEqual(await state(), before)
      for (const stage of stages) await isEmpty(`${stage}-dead-letters`)
    })

    test('a poisoned message ends among the dead letters, and nothing else stops for it', async () => {
      // Five deliveries, each after the time that a function may take: a quarter of an hour, were it not shortened here.
      await queues.whileTakenHideFor('apply', 1, async () => {
        await queues.send('apply', { stage: 'apply', ref: { kind: 7 } })
        const commit = await git.push({ 'apps/settings.yaml': configMap('settings', 'three') })
        assert.equal(await callWebhook(commit), 200)
        await eventually(async () => assert.equal(await valueIn(target, 'settings'), 'three'), patient)
        const isSetAside = async () => assert.equal(await queues.waitingIn('apply-dead-letters'), 1)
        await eventually(isSetAside, patient)
        await eventually(() => isEmpty('apply'), patient)
        const stage = ['--hub', hubName, '--region', emulator.region, '--stage', 'apply']
        assert.match(await operator.keelson('redrive', ...stage), /returned 1 to the queues/)
        await eventually(isSetAside, patient)
      })
    })

    test('the tick finds what is due when its message was lost', async () => {
      await target.kubectl('delete', 'configmap', 'settings')
      await schedule.setDue(kustomization, Date.now() - 1000)
      // As its schedule does: a tick that fails is not made up for, the next one finds the same.
      await eventually(async () => void (await hub.invoke('tick', {})), patient)
      await eventually(async () => assert.equal(await valueIn(target, 'settings'), 'three'), patient)
    })
  })
}
