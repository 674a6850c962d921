/** What users decide reaches a cluster that only its runner reaches, on real parts: plans, suspension, a Rollout. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import type { Plan } from '../../lib/foundations/kinds/plan.ts'
import type { RolloutRun } from '../../lib/foundations/kinds/rollout-run.ts'
import type { Run } from '../../lib/foundations/kinds/run.ts'
import { digestOfPlan } from '../../lib/foundations/rules/approval-statement.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { privateNetwork } from '../bed/private-network.ts'
import { joinToken, runner } from '../bed/runner.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { approver, files, namesOfHub, ofHub, rollout, units } from './approved-fleet.ts'

test('plans, suspension and a stage of a Rollout hold through a runner as they do through the hub', async t => {
  const network = await privateNetwork(t)
  const [target, repo, on] = await Promise.all([cluster({ network }), gitRepo(files('1')), hub()])
  const root = endWithTest(disposableDir())
  const joining = await joinToken(on, 'aurora')
  await on.apply(fleetRepository(repo) + approver + rollout + units)
  const flags = ['--log-level', 'info']
  let it = runner(on, target, { cluster: 'default/aurora', joinToken: joining, flags, network })
  const keelson = async (...args: string[]): Promise<string> => {
    const called = [program, ...args, '-n', 'default', '--kubeconfig', on.kubeconfig]
    const { exitCode, stdout, stderr } = await ending(process.execPath, called)
    assert.equal(exitCode, 0, stderr)
    return stdout
  }
  const access = ['-n', 'default', '--kubeconfig', on.kubeconfig]
  const why = async (unit: string): Promise<string> => {
    const called = [program, 'why', unit, '-n', 'default', '--kubeconfig', on.kubeconfig]
    return (await ending(process.execPath, called)).stdout
  }
  const live = (name: string): Promise<string> =>
    target.kubectl('get', 'configmap', name, '-o', 'jsonpath={.data.value}').catch(() => 'none')
  const showing = (name: string, value: string) => eventually(async () => assert.equal(await live(name), value))
  const plans = async (): Promise<readonly Plan[]> => (await on.get<{ items: readonly Plan[] }>('plans')).items
  const planIn = (phase: string): Promise<Plan> =>
    eventually(async () => {
      const all = await plans()
      const found = all.find(({ status }) => status?.phase === phase)
      assert.ok(found, JSON.stringify(all.map(({ status }) => status)))
      return found
    })
  const conditionIn = async (name: string, type: string) =>
    conditionOf((await on.get<Kustomization>('kustomization', name)).status?.conditions, type)
  const push = async (changed: Readonly<Record<string, string | null>>) => {
    await repo.push(changed)
    const at = `reconcile.fluxcd.io/requestedAt=${new Date().toISOString()}`
    await on.kubectl('annotate', '--overwrite', 'gitrepository/fleet', at)
  }
  const runIn = (name: string, phase: string) =>
    eventually(async () => {
      const { status } = await on.get<RolloutRun>('rolloutrun', name)
      assert.equal(status?.phase, phase, JSON.stringify(status))
    })
  const letGo = async (name: string) => {
    await eventually(async () => {
      const { status } = await on.get<RolloutRun>('rolloutrun', name)
      assert.deepEqual(status?.waitsFor, ['gate go: waits for an approval'], JSON.stringify(status))
    })
    await keelson('rollout', 'approve', 'web')
  }
  try {
    await showing('suspended', '1')
    const first = await planIn('Waiting')
    assert.deepEqual([first.spec.unit.name, first.spec.cluster?.name, first.spec.summary], ['planned', 'aurora', '+1'])
    assert.deepEqual([await live('planned'), await live('staged')], ['none', 'none'])
    assert.equal((await conditionIn('planned', 'Waiting'))?.reason, 'ApprovalRequired')
    assert.match(await why('kustomization/planned'), /waits for an approval of plan/)
    // The hub can't reach the cluster: the runner plans, for anybody who may list Plans, and what it finds is what waits.
    const made = await ending(process.execPath, [program, 'plan', 'kustomization/planned', ...access])
    assert.equal(made.exitCode, 1, made.stderr)
    const [title = '', ...lines] = made.stdout.split('\n')
    assert.match(
      title,
      /^Plan of Kustomization\/planned at main@sha1:\S+ on the cluster of ConfigMap\/default\/aurora: \+1$/,
    )
    assert.ok(lines.includes(`Digest:   ${first.spec.digest}`), made.stdout)
    assert.match(made.stdout, /\n {2}ConfigMap\/default\/planned created \(from planned\/a\.yaml\)\n/)
    const local = await ending(process.execPath, [program, 'plan', 'kustomization/planned', '--path', '.', ...access])
    assert.deepEqual([local.exitCode, local.stdout], [2, ''])
    assert.match(local.stderr, /applied by a runner, .* --path does not go with it/)
    await keelson('approve', first.metadata.name, '--digest', first.spec.digest)
    await showing('planned', '1')
    await planIn('Applied')
    const planned = await eventually(async () => {
      const selector = 'unit.kind=Kustomization,unit.name=planned'
      const { items } = await on.get<{ items: readonly Run[] }>('runs', '--field-selector', selector)
      const found = items.find(({ counts, receipt }) => counts.created && receipt)
      assert.ok(found, JSON.stringify(items))
      return found.metadata.name
    })
    const signed = await keelson('verify', planned)
    assert.match(signed, new RegExp(`\\nPlan: +${first.metadata.name} .*\\nApproved: +kubernetes-admin\\n`))
    assert.match(signed, /\nReported: +by the runner of Cluster default\/aurora: the hub signed what it was sent\n/)
    await letGo('web-1')
    await showing('staged', '1')
    await runIn('web-1', 'Succeeded')

    // A plan that is rejected, and one that another revision has made stale.
    await on.kubectl('patch', 'kustomization', 'suspended', '--type=merge', '-p', '{"spec":{"suspend":true}}')
    await push(files('2'))
    const second = await planIn('Waiting')
    await keelson('reject', second.metadata.name, '--comment', 'not today')
    await planIn('Rejected')
    await letGo('web-2')
    await showing('staged', '2')
    await runIn('web-2', 'Succeeded')
    assert.deepEqual([await live('planned'), await live('suspended')], ['1', '1'])
    await push(files('3'))
    const third = await planIn('Waiting')
    await planIn('Stale')
    // Who has pushed may not approve.
    assert.equal(third.spec.author, 'kubernetes-admin')
    await keelson('approve', third.metadata.name)
    await keelson('approve', third.metadata.name, '--as', 'jane')
    await showing('planned', '3')
    const applied = (await plans()).find(({ metadata }) => metadata.name === third.metadata.name)
    assert.deepEqual(applied?.status?.approvedBy, ['jane'])

    // A runner with a key of jane in its place, and none of the folder of the other one.
    await it.stop()
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    writeFileSync(join(root.path, 'jane.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    writeFileSync(join(root.path, 'jane.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
    const demanding = [...flags, '--plan-key', join(root.path, 'jane.pub')]
    await push(files('4'))
    const joiningAgain = await joinToken(on, 'aurora')
    it = runner(on, target, { cluster: 'default/aurora', joinToken: joiningAgain, flags: demanding, network })
    const { metadata, spec } = await eventually(async () => {
      const found = (await plans()).find(
        ({ spec, status, changes = [] }) =>
          spec.approvals?.signedFor === 'default/aurora' &&
          status?.phase === 'Waiting' &&
          changes.some(({ name, fields = [] }) => name === 'planned' && fields.some(({ after }) => after === '4')),
      )
      assert.ok(found, await why('kustomization/planned'))
      return found
    })
    const subject = `{kind: Plan, name: ${metadata.name}}`
    const unsigned = `apiVersion: fleet.keelson.dev/v1alpha1
kind: Approval
metadata: {name: unsigned, namespace: default}
spec: {subject: ${subject}, digest: "${spec.digest}"}
`
    writeFileSync(join(root.path, 'unsigned.yaml'), unsigned)
    await on.kubectl('create', '--as', 'jane', '-f', join(root.path, 'unsigned.yaml'))
    await eventually(async () =>
      assert.match(
        (await conditionIn('planned', 'Waiting'))?.message ?? '',
        /the approval of jane is not signed; it needs/,
      ),
    )
    assert.equal(await live('planned'), '3')
    const shown = await keelson('plans', metadata.name)
    const digest = /^To sign: +(\S+)$/m.exec(shown)?.[1] ?? ''
    const signing = ['--as', 'jane', '--sign-with', join(root.path, 'jane.key')]
    await keelson('approve', metadata.name, ...signing, '--digest', digest)
    await showing('planned', '4')
    // What another runner has applied is not there to return to.
    await keelson('undo', 'kustomization/planned')
    await eventually(async () => {
      const ready = await conditionIn('planned', 'Ready')
      assert.equal(ready?.reason, 'UndoFailed', ready?.message)
      assert.match(
        ready.message,
        /are not kept, so nothing is applied; kept are: main@sha1:\w+ \(sha256:\w+\); to follow/,
      )
    })
    assert.equal(await live('planned'), '4')
    // What the hub renders is signed as it is rendered, with the hooks of a chart.
    const waiting = (name: string, value: string): Promise<Plan> =>
      eventually(async () => {
        const found = (await plans()).find(
          ({ spec, status, changes = [] }) =>
            spec.unit.name === name &&
            status?.phase === 'Waiting' &&
            changes.some(({ fields = [] }) =>
              fields.some(({ path, after }) => path === 'data.value' && after === value),
            ),
        )
        assert.ok(found, JSON.stringify(await plans()))
        return found
      })
    const signPlan = async (name: string, value: string) => {
      const { metadata } = await waiting(name, value)
      const toSign = /^To sign: +(\S+)$/m.exec(await keelson('plans', metadata.name))?.[1] ?? ''
      await keelson('approve', metadata.name, ...signing, '--digest', toSign)
    }
    await on.apply(ofHub('a'))
    for (const name of namesOfHub) {
      await signPlan(name, 'a')
      await showing(name, 'a')
    }
    await on.apply(ofHub('b'))
    const [upgrade] = await Promise.all(namesOfHub.map(name => waiting(name, 'b')))
    assert.deepEqual(
      upgrade!.changes?.map(({ name, action, origin }) => [name, action, origin]),
      [
        ['charted', 'configured', undefined],
        ['hook', 'created', 'charted/templates/hook.yaml, a hook: pre-upgrade'],
      ],
    )
    await on.apply(ofHub('c'))
    await keelson('approve', upgrade!.metadata.name, ...signing, '--digest', digestOfPlan(upgrade!)).catch(() => '')
    for (const name of namesOfHub) {
      await waiting(name, 'c')
      assert.equal(await live(name), 'a')
      await signPlan(name, 'c')
      await showing(name, 'c')
    }
    // The others wait for signatures, too: no annotation says so.
    assert.deepEqual([await live('suspended'), await live('staged')], ['1', '2'])
  } catch (error) {
    throw Object.assign(error as Error, {
      message: `${(error as Error).message}\nthe runner said:\n${it.said().slice(-8000)}`,
    })
  }
})
