import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { gitRepo } from '../../bed/git-repo.ts'
import { needsSigners, signers } from '../../bed/signers-binary.ts'
import { group, minute, openRegistry } from '../oci/oci-world.ts'
import { from, needsHelm, openHelmWorld, openWorkshop, serve } from './helm-world.ts'

const skipUnsigned = { skip: needsHelm.skip || needsSigners().skip }

test(
  'HC-004 HC-019 HC-020 HC-021 HC-022 HC-032 HC-058 HC-059: pulls what helm packed and indexed, as it is',
  needsHelm,
  async () => {
    const shop = openWorkshop()
    for (const version of ['1.0.0', '1.2.0', '2.0.0', '3.0.0-rc.1']) await shop.pack('app', version)
    await shop.helm('repo', 'index', 'charts')
    const { url } = await serve(shop.at('charts'))
    const world = await openHelmWorld()
    await world.applies('HelmRepository', 'repo', { url })
    const revisions: Record<string, string> = {}
    for (const [name, version] of Object.entries({ any: '*', one: '1.x', fixed: '1.0.0', pre: '>=2.0.0-0' })) {
      await world.applies('HelmChart', name, { chart: 'app', version, ...from('repo') })
      revisions[name] = (await world.chart(name))!.artifact!.revision
    }
    assert.deepEqual(revisions, { any: '2.0.0', one: '1.2.0', fixed: '1.0.0', pre: '3.0.0-rc.1' })
    assert.deepEqual(await world.bytes('one'), readFileSync(shop.at('charts/app-1.2.0.tgz')))
    assert.match((await world.chart('one'))!.artifact!.path, /^helmchart\/default\/one\/app-1\.2\.0\.tgz$/)
    await world.applies('HelmChart', 'none', { chart: 'app', version: '9.x', ...from('repo') })
    assert.match(await world.conditions('none'), /Stalled=True InvalidChartReference/)
  },
)

test('HC-041 HC-067: an index that has not changed is not read again', needsHelm, async () => {
  const shop = openWorkshop()
  await shop.pack('app', '1.0.0')
  await shop.helm('repo', 'index', 'charts')
  const { url, requests } = await serve(shop.at('charts'))
  const world = await openHelmWorld()
  await world.applies('HelmRepository', 'repo', { url })
  await world.applies('HelmChart', 'app', { chart: 'app', ...from('repo') })
  requests.length = 0
  await world.advance(21 * minute)
  assert.deepEqual(new Set(requests), new Set(['/index.yaml 304']))
})

test(
  'an index and its charts come to be visited: without passes, writes and due times of their own',
  needsHelm,
  async () => {
    const shop = openWorkshop()
    await shop.pack('app', '1.0.0')
    await shop.helm('repo', 'index', 'charts')
    const { url, requests } = await serve(shop.at('charts'))
    const world = await openHelmWorld()
    await world.applies('HelmRepository', 'repo', { url })
    await world.applies('HelmChart', 'app', { chart: 'app', ...from('repo') })
    await world.advance(45 * minute)
    const ref = (kind: string, name: string) => ({ group, kind, namespace: 'default', name })
    const { schedule } = world.platform
    const dueTimes = () =>
      Promise.all([schedule.dueOf(ref('HelmRepository', 'repo')), schedule.dueOf(ref('HelmChart', 'app'))])
    assert.deepEqual(await dueTimes(), [undefined, undefined])
    for (const list of [world.visited, world.passes, world.changes, requests]) list.splice(0)
    await world.advance(25 * minute)
    const looks = world.visited.flatMap(({ unchanged }) => unchanged.map(({ ref: { kind } }) => kind)).sort()
    assert.deepEqual(new Set(looks), new Set(['HelmChart', 'HelmRepository']))
    assert.ok(looks.length >= 4, `${looks}`)
    assert.deepEqual([world.passes.length, world.changes.length], [0, 0])
    assert.deepEqual(new Set(requests), new Set(['/index.yaml 304']))

    await shop.pack('app', '1.1.0')
    await shop.helm('repo', 'index', 'charts')
    await world.advance(12 * minute)
    assert.equal((await world.chart('app'))!.artifact!.revision, '1.1.0')
    assert.match(await world.conditions('app'), /Ready=True/)
  },
)

test('HC-010: credentials go to the repository, and to other hosts only when the spec says so', needsHelm, async () => {
  const shop = openWorkshop()
  await shop.pack('app', '1.0.0')
  const expected = `Basic ${btoa('user:pass')}`
  const seen: (string | undefined)[] = []
  const archives = await serve(shop.at('charts'), ({ headers }) => seen.push(headers.authorization) > 0)
  await shop.helm('repo', 'index', 'charts', '--url', archives.url)
  const { url } = await serve(shop.at('charts'), ({ headers }) => headers.authorization === expected)
  const world = await openHelmWorld()
  await world.applies('Secret', 'login', { username: 'user', password: 'pass' })
  await world.applies('HelmRepository', 'careful', { url, secretRef: { name: 'login' } })
  await world.applies('HelmChart', 'careful', { chart: 'app', ...from('careful') })
  assert.deepEqual(seen, [undefined])
  await world.applies('HelmRepository', 'open', { url, secretRef: { name: 'login' }, passCredentials: true })
  await world.applies('HelmChart', 'open', { chart: 'app', ...from('open') })
  assert.deepEqual(seen, [undefined, expected])
  await world.applies('HelmRepository', 'nobody', { url })
  assert.match(await world.conditions('nobody', 'HelmRepository'), /FetchFailed=True Failed: .*401/)
})

test('HC-011 HC-025: pulls what helm pushed to a registry, also with build metadata', needsHelm, async () => {
  const shop = openWorkshop()
  const registry = await openRegistry()
  for (const version of ['1.0.0', '1.1.0+build.5']) {
    await shop.helm('push', await shop.pack('app', version), registry.url('charts'), '--plain-http')
  }
  const world = await openHelmWorld()
  await world.applies('HelmRepository', 'repo', { type: 'oci', url: registry.url('charts'), insecure: true })
  await world.applies('HelmChart', 'app', { chart: 'app', version: '1.x', ...from('repo') })
  assert.equal((await world.chart('app'))!.artifact!.revision, '1.1.0+build.5')
  assert.deepEqual(await world.bytes('app'), readFileSync(shop.at('charts/app-1.1.0+build.5.tgz')))
  await world.applies('HelmChart', 'gone', { chart: 'other', version: '1.0.0', ...from('repo') })
  assert.match(await world.conditions('gone'), /FetchFailed=True ChartPullError/)
})

test(
  'HC-026 HC-027 HC-028 HC-029 HC-031 HC-033 HC-060: values of the files, merged, and the same archive each time',
  needsHelm,
  async () => {
    const shop = openWorkshop()
    await shop.pack('app', '1.0.0', {
      'values.yaml': 'a: 1\nb: {c: 2}\n',
      'prod.yaml': 'b: {d: 3}\n',
      'eu.yaml': 'b: {d: 4}\n',
    })
    await shop.helm('repo', 'index', 'charts')
    const { url } = await serve(shop.at('charts'))
    const world = await openHelmWorld()
    await world.applies('HelmRepository', 'repo', { url })
    const spec = { chart: 'app', ...from('repo') }
    await world.applies('HelmChart', 'app', { ...spec, valuesFiles: ['prod.yaml', 'eu.yaml'] })
    assert.equal((await world.files('app'))['app/values.yaml'], 'b:\n  d: 4\n')
    assert.equal((await world.chart('app'))!.artifact!.revision, '1.0.0+1')
    await world.applies('HelmChart', 'again', { ...spec, valuesFiles: ['prod.yaml', 'eu.yaml'] })
    assert.deepEqual(await world.bytes('again'), await world.bytes('app'))
    await world.applies('HelmChart', 'missing', { ...spec, valuesFiles: ['values.yaml', 'us.yaml'] })
    assert.match(await world.conditions('missing'), /BuildFailed=True ValuesFilesError: .*us\.yaml/)
    await world.applies('HelmChart', 'ignored', {
      ...spec,
      valuesFiles: ['values.yaml', 'us.yaml', 'prod.yaml'],
      ignoreMissingValuesFiles: true,
    })
    assert.equal((await world.files('ignored'))['app/values.yaml'], 'a: 1\nb:\n  c: 2\n  d: 3\n')
    assert.deepEqual((await world.chart('ignored'))!.observedValuesFiles, ['values.yaml', 'prod.yaml'])
  },
)

test(
  'HC-005 HC-014 HC-017 HC-037 HC-061: a chart in git with dependencies in all kinds of places is completed as helm would',
  needsHelm,
  async () => {
    const shop = openWorkshop()
    const registry = await openRegistry()
    await shop.pack('one', '1.0.0')
    await shop.pack('one', '1.1.0')
    await shop.helm('repo', 'index', 'charts')
    const { url } = await serve(shop.at('charts'))
    await shop.helm('push', await shop.pack('two', '2.0.0'), registry.url('charts'), '--plain-http')
    const dependencies = [
      `- {name: one, version: 1.x, repository: "${url}"}`,
      `- {name: two, version: 2.0.0, repository: "${registry.url('charts')}"}`,
      '- {name: three, version: ">=0", repository: "file://../three"}',
    ]
    const git = await gitRepo({
      'charts/app/Chart.yaml': `apiVersion: v2\nname: app\nversion: 0.1.0\ndependencies:\n${dependencies.join('\n')}\n`,
      'charts/app/templates/a.yaml': 'a: {{ .Values.a }}\n',
      'charts/three/Chart.yaml': 'apiVersion: v2\nname: three\nversion: 3.0.0\n',
    })
    const world = await openHelmWorld()
    await world.applies('GitRepository', 'repo', { url: git.url, ref: { branch: 'main' } })
    await world.applies('HelmRepository', 'oci', { type: 'oci', url: registry.url('charts'), insecure: true })
    await world.applies('HelmChart', 'app', {
      chart: './charts/app',
      reconcileStrategy: 'Revision',
      ...from('repo', 'GitRepository'),
    })
    const status = await world.chart('app')
    assert.match(status?.artifact?.revision ?? (await world.conditions('app')), /^0\.1\.0\+[0-9a-f]{12}$/)
    writeFileSync(shop.at('built.tgz'), await world.bytes('app'))
    const { stdout } = await shop.helm('show', 'all', 'built.tgz')
    assert.match(stdout, /name: app/)
    const packed = Object.keys(await world.files('app')).filter(path => path.endsWith('Chart.yaml'))
    const names = ['app', 'app/charts/one', 'app/charts/three', 'app/charts/two'].map(path => `${path}/Chart.yaml`)
    assert.deepEqual(packed.sort(), names.sort())
    assert.match((await world.files('app'))['app/charts/one/Chart.yaml']!, /version: 1\.1\.0/)
    const listed = await shop.helm('dependency', 'list', 'built.tgz')
    assert.doesNotMatch(listed.stdout, /missing|wrong version|invalid/)
  },
)

test(
  'HC-047 HC-048 HC-053 HC-054 HC-051 HC-055 HC-056: a chart in a registry is taken when cosign signed it, in either form',
  skipUnsigned,
  async () => {
    const shop = openWorkshop()
    const registry = await openRegistry()
    const { host } = registry.server
    const password = { COSIGN_PASSWORD: '' }
    await signers(['cosign', 'generate-key-pair', '--output-key-prefix', shop.at('key')], password)
    const offline = ['--tlog-upload=false', '--use-signing-config=false', '--yes', '--allow-http-registry']
    const world = await openHelmWorld()
    await world.applies('Secret', 'keys', { 'a.pub': readFileSync(shop.at('key.pub'), 'utf8') })
    await world.applies('HelmRepository', 'repo', { type: 'oci', url: registry.url('charts'), insecure: true })
    const verify = { provider: 'cosign', secretRef: { name: 'keys' } }
    for (const isBundle of [true, false]) {
      const name = isBundle ? 'bundled' : 'attached'
      await shop.helm('push', await shop.pack(name, '1.0.0'), registry.url('charts'), '--plain-http')
      await world.applies('HelmChart', name, { chart: name, version: '1.0.0', verify, ...from('repo') })
      assert.match(await world.conditions(name), /SourceVerified=False VerificationError/)
      assert.equal((await world.chart(name))!.artifact, undefined)
      const form = `--new-bundle-format=${isBundle}`
      await signers(
        ['cosign', 'sign', '--key', shop.at('key.key'), ...offline, form, `${host}/charts/${name}:1.0.0`],
        password,
      )
      await world.advance(11 * minute)
      assert.match(await world.conditions(name), /SourceVerified=True Succeeded: verified signature of version 1\.0\.0/)
      assert.equal((await world.chart(name))!.artifact!.revision, '1.0.0')
      await world.applies('HelmChart', name, { chart: name, version: '1.0.0', ...from('repo') })
      assert.doesNotMatch(await world.conditions(name), /SourceVerified/)
    }
    const identities = { ...verify, provider: 'notation', matchOIDCIdentity: [{ issuer: 'a', subject: 'b' }] }
    await world.applies('HelmChart', 'refused', { chart: 'bundled', verify: identities, ...from('repo') })
    assert.match(
      await world.conditions('refused'),
      /SourceVerified=False VerificationError: .*does not support OIDC identities/,
    )
    assert.equal((await world.chart('refused'))!.artifact, undefined)
  },
)

test('HC-037 HC-040 HC-046 HC-062 HC-063 HC-066 HC-085 HC-086: follows its source and its spec, and keeps little of what was', async () => {
  const chart = (a: number) => ({
    'app/Chart.yaml': 'apiVersion: v2\nname: app\nversion: 0.1.0\n',
    'app/values.yaml': `a: ${a}\n`,
    'app/prod.yaml': 'b: 2\n',
  })
  const git = await gitRepo(chart(0))
  const world = await openHelmWorld()
  await world.applies('GitRepository', 'repo', { url: git.url, ref: { branch: 'main' } })
  const spec = { chart: 'app', reconcileStrategy: 'Revision', ...from('repo', 'GitRepository') }
  await world.applies('HelmChart', 'app', spec)
  const revision = async () => (await world.chart('app'))!.artifact!.revision
  for (let a = 1; a < 5; a++) {
    const commit = await git.push(chart(a))
    await world.advance(11 * minute)
    assert.equal(await revision(), `0.1.0+${commit.slice(0, 12)}`)
    assert.equal((await world.files('app'))['app/values.yaml'], `a: ${a}\n`)
    assert.match((await world.chart('app'))!.observedSourceArtifactRevision!, new RegExp(`${commit}$`))
  }
  const changes: readonly Readonly<Record<string, string>>[] = [
    { 'README.md': 'x' },
    { 'docs/.keep': '' },
    { '.sourceignore': 'docs/' },
    { 'docs/b': 'b' },
    {},
  ]
  for (const elsewhere of changes) {
    const commit = await git.push(elsewhere)
    await world.advance(11 * minute)
    assert.equal(await revision(), `0.1.0+${commit.slice(0, 12)}`, `after ${JSON.stringify(elsewhere)}`)
  }
  assert.equal((await world.stored()).filter(name => name.startsWith('helmchart/')).length, 2)
  const before = await revision()
  await world.applies('HelmChart', 'app', { ...spec, valuesFiles: ['app/prod.yaml'] })
  assert.equal(await revision(), `${before}.2`)
  assert.equal((await world.files('app'))['app/values.yaml'], 'b: 2\n')
  assert.equal((await world.chart('app'))!.observedGeneration, 2)
})
