/** Receipts of Runs of a hub that applies to a real cluster: verified by keelson, cosign and openssl, and refused once anything was changed. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Plan } from '../../lib/foundations/kinds/plan.ts'
import type { Run } from '../../lib/foundations/kinds/run.ts'
import type { RunStatement } from '../../lib/foundations/rules/run-statement.ts'
import { sha256Digest } from '../../lib/foundations/rules/sha256.ts'
import { cluster } from '../bed/cluster.ts'
import { type Ending, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { appRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { builtSigners, needsSigners, signers } from '../bed/signers-binary.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { kubectlProgram } from '../bed/testcluster.ts'
import { blocksOf } from '../docs/page.ts'

const password = 'planted-password-of-login'

const map = (name: string, value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\ndata: {value: "${value}"}\n`
const secret = (name: string) =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: default}\nstringData: {password: ${password}}\n`

const files = {
  'app/a.yaml': map('a', '1'),
  'app/login.yaml': secret('login'),
  'chart/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
  'chart/templates/b.yaml': map('b', '1'),
  'chart/templates/login.yaml': secret('login-of-shop'),
}

const units = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default, annotations: {fleet.keelson.dev/approval: Required}}
spec: {interval: 1h, prune: true, path: ./app, sourceRef: {kind: GitRepository, name: app}, kubeConfig: {secretRef: {name: prod}}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: shop, namespace: default, annotations: {fleet.keelson.dev/approval: Required}}
spec:
  interval: 1h
  kubeConfig: {secretRef: {name: prod}}
  chart: {spec: {chart: ./chart, sourceRef: {kind: GitRepository, name: app}}}
---
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: set, namespace: default}
spec:
  resources:
    - {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: default}, data: {value: "1"}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: approvers, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: keelson-approver}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]
---`

const statementIn = ({ receipt }: Run): RunStatement =>
  JSON.parse(Buffer.from(receipt!.payload, 'base64').toString()) as RunStatement

test('Runs of all kinds of units have receipts that keelson, openssl and cosign verify, which hold no secret', async t => {
  const [target, on, repo] = await Promise.all([cluster(), hub(), gitRepo(files)])
  const dir = endWithTest(disposableDir()).path
  const inDir = (name: string) => join(dir, name)
  const env = { PATH: process.env.PATH, KUBECONFIG: on.kubeconfig }
  const keelson = (...args: string[]): Promise<Ending> =>
    ending(process.execPath, [program, ...args, '-n', 'default'], { env })

  await on.apply(kubeconfigSecret('prod', target) + appRepository(repo) + units)
  for (const kind of ['Kustomization', 'HelmRelease']) {
    const plan = await eventually(async () => {
      const { items } = await on.get<{ items: readonly Plan[] }>('plans', '-n', 'default')
      const found = items.find(({ spec, status }) => spec.unit.kind === kind && status?.phase === 'Waiting')
      assert.ok(found)
      return found
    })
    const approved = await keelson('approve', plan.metadata.name, '--as', 'jane')
    assert.equal(approved.exitCode, 0, approved.stderr)
  }
  const runs = await eventually(async () => {
    const { items } = await on.get<{ items: readonly Run[] }>('runs', '-n', 'default')
    const found = items.filter(({ counts, finishedAt }) => counts.created && finishedAt)
    assert.equal(found.length, 3, JSON.stringify(items, null, 1))
    return new Map(found.map(run => [run.unit.kind, run]))
  })
  const [app, shop, set] = ['Kustomization', 'HelmRelease', 'ResourceSet'].map(kind => runs.get(kind)!) as [
    Run,
    Run,
    Run,
  ]
  const names = [app, shop, set].map(({ metadata }) => metadata.name)

  await t.test('the statement says what was applied, and who has approved it', async () => {
    const { artifact } = (
      await on.get<{ status: { artifact: { digest: string } } }>('gitrepository/app', '-n', 'default')
    ).status
    const { items: plans } = await on.get<{ items: readonly Plan[] }>('plans', '-n', 'default')
    for (const run of [app, shop]) {
      const { subject, predicate } = statementIn(run)
      assert.deepEqual(
        subject.map(({ name }) => name),
        ['run', 'artifact', 'manifests'],
      )
      assert.deepEqual(predicate.cluster, { kind: 'Secret', namespace: 'default', name: 'prod' })
      const plan = plans.find(({ spec }) => spec.unit.kind === run.unit.kind)!
      const { name } = plan.metadata
      assert.deepEqual(predicate.plan, { name, digest: plan.spec.digest, approvedBy: ['jane'] })
    }
    assert.equal(app.artifact, artifact.digest)
    const { subject, predicate } = statementIn(set)
    assert.deepEqual(
      subject.map(({ name }) => name),
      ['run', 'manifests'],
    )
    assert.equal(predicate.cluster, undefined)
    for (const run of [app, shop, set]) {
      const text = JSON.stringify([run, statementIn(run)])
      for (const form of [password, Buffer.from(password).toString('base64')])
        assert.equal(text.includes(form), false, run.unit.kind)
    }
  })

  await t.test('keelson verifies them with the keys of the hub, and with one that was kept', async () => {
    const all = await keelson('verify', ...names)
    assert.deepEqual([all.exitCode, all.stderr], [0, ''])
    assert.match(all.stdout, new RegExp(`^Run default/${names[0]} is as the hub signed it\nKey: +[0-9a-f]{16}\n`))
    assert.match(all.stdout, /\nPlan: +kustomization-app-.*\nApproved: +jane\n/)
    const { keys } = JSON.parse(await on.kubectl('get', '--raw', '/receipts/keys')) as {
      keys: { keyId: string; publicKey: string }[]
    }
    assert.equal(keys.length, 1)
    const { keyId, publicKey } = keys[0]!
    assert.equal(await on.kubectl('get', '--raw', `/receipts/keys/${keyId}`), publicKey)
    writeFileSync(inDir('kept.pem'), publicKey)
    const json = await keelson('verify', names[1]!, '--key', inDir('kept.pem'), '-o', 'json')
    assert.equal(json.exitCode, 0, json.stderr)
    const [result] = JSON.parse(json.stdout) as [{ verified: boolean; keyId: string }]
    assert.deepEqual([result.verified, result.keyId], [true, keyId])
    const anyone = await on.kubectl('get', '--raw', '/receipts/keys', '--as', 'nobody')
    assert.equal(JSON.parse(anyone).keys.length, 1)
    await assert.rejects(
      on.kubectl('create', '--raw', '/receipts/keys', '-f', '/dev/null', '--as', 'nobody'),
      /orbidden/,
    )
  })

  await t.test('exported Runs are verified without the hub; a changed one is refused', async () => {
    const yaml = await on.kubectl('get', 'runs', '-n', 'default', '-o', 'yaml')
    writeFileSync(inDir('runs.yaml'), yaml)
    const offline = (file: string) =>
      ending(process.execPath, [program, 'verify', '-f', file, '--key', inDir('kept.pem')], {
        env: { PATH: process.env.PATH },
      })
    const good = await offline(inDir('runs.yaml'))
    assert.equal(good.exitCode, 0, good.stdout + good.stderr)
    writeFileSync(inDir('altered.yaml'), yaml.replace('approvedBy:\n    - jane', 'approvedBy:\n    - john'))
    const bad = await offline(inDir('altered.yaml'))
    assert.equal(bad.exitCode, 2, bad.stdout + bad.stderr)
    assert.match(bad.stdout, /is not verified: its content is not what was signed/)
    const unsigned = { ...app, receipt: undefined }
    writeFileSync(inDir('unsigned.json'), JSON.stringify(unsigned))
    assert.equal((await offline(inDir('unsigned.json'))).exitCode, 3)
    assert.equal((await keelson('verify', 'kustomization-app-0mjk1q2w3')).exitCode, 1)
  })

  await t.test('the commands of docs/receipts.md do what it says', async t => {
    const { skip } = needsSigners()
    if (skip) t.diagnostic(skip)
    const commands: Readonly<Record<string, string>> = {
      keelson: `'${process.execPath}' '${program}'`,
      kubectl: `'${await kubectlProgram()}'`,
      cosign: skip ? 'echo not there: cosign' : `'${builtSigners()}' cosign`,
    }
    mkdirSync(inDir('bin'))
    for (const [name, text] of Object.entries(commands))
      writeFileSync(inDir(`bin/${name}`), `#!/bin/sh\nexec ${text} "$@"\n`, { mode: 0o755 })
    const blocks = blocksOf('docs/receipts.md').filter(({ language }) => language === 'sh')
    const said: string[] = []
    for (const { text } of blocks.slice(0, -1)) {
      const named = text.replaceAll('kustomization-app-0mjk1q2w3', names[0]!).replaceAll('-n apps', '-n default')
      const path = `${inDir('bin')}:${process.env.PATH}`
      const options = { cwd: dir, env: { ...env, HOME: dir, PATH: path } }
      const { exitCode, stdout, stderr } = await ending('sh', ['-euc', named], options)
      assert.equal(exitCode, 0, `${named}\n${stdout}${stderr}`)
      said.push(stdout + stderr)
    }
    assert.match(blocks.at(-1)!.text, /^kubectl create --raw \/receipts\/keys -f \/dev\/null\n$/)
    assert.equal(said.length, 4)
    assert.match(said[0]!, /is as the hub signed it/)
    assert.equal(said[1]!.match(/is as the hub signed it/g)?.length, 3)
    assert.match(said[2]!, skip ? /not there: cosign/ : /Verified OK/)
    assert.equal(said[3], 'Verified OK\n')
    const { sha256 } = statementIn(app).subject[0]!.digest
    assert.equal(sha256Digest(readFileSync(inDir('receipt/run.json'))), `sha256:${sha256}`)
  })

  await t.test('cosign verifies the artifact of the source, too, and refuses another Run', needsSigners(), async () => {
    const cosign = (...blob: string[]) =>
      signers([
        ...['cosign', 'verify-blob-attestation', '--key', inDir('receipt/hub.pem')],
        ...['--bundle', inDir('receipt/receipt.sigstore.json'), '--type', 'https://keelson.dev/run/v1'],
        ...['--insecure-ignore-tlog', ...blob],
      ])
    const [, hex = ''] = app.artifact!.split(':')
    assert.match((await cosign('--digest', hex, '--digestAlg', 'sha256')).stderr, /Verified OK/)
    writeFileSync(inDir('other.json'), readFileSync(inDir('receipt/run.json'), 'utf8').replace('jane', 'john'))
    await assert.rejects(cosign(inDir('other.json')))
  })

  await t.test(
    'after a rotation the old Runs are verified, and new ones have the new key; both outlive a restart',
    async () => {
      const rotated = JSON.parse(await on.kubectl('create', '--raw', '/receipts/keys', '-f', '/dev/null')) as {
        keyId: string
      }
      await repo.push({ 'app/a.yaml': map('a', '2') })
      await on.kubectl('annotate', 'resourceset/set', '-n', 'default', `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
      const newest = await eventually(async () => {
        const { items } = await on.get<{ items: readonly Run[] }>('runs', '-n', 'default')
        const found = items.find(
          ({ unit, metadata }) => unit.kind === 'ResourceSet' && metadata.name !== set.metadata.name,
        )
        assert.ok(found?.receipt)
        return found
      })
      assert.equal(newest.receipt!.signatures[0]!.keyid, rotated.keyId)
      await on.stop()
      await on.start()
      const all = await keelson('verify', ...names, newest.metadata.name)
      assert.equal(all.exitCode, 0, all.stdout + all.stderr)
      const pinned = await keelson('verify', newest.metadata.name, '--key', inDir('kept.pem'))
      assert.equal(pinned.exitCode, 2)
      assert.match(pinned.stdout, /none of the given keys/)
    },
  )
})
