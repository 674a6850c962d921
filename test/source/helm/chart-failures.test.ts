import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gitRepo } from '../../bed/git-repo.ts'
import { shown } from '../../unit/reconcile/world.ts'
import { group, minute } from '../oci/oci-world.ts'
import { from, needsHelm, openHelmWorld } from './helm-world.ts'

test('HC-015 HC-013 HC-018: paths that lead nowhere or out of the source are refused', needsHelm, async () => {
  const git = await gitRepo({ 'charts/app/values.yaml': 'a: 1\n' })
  const world = await openHelmWorld()
  await world.applies('GitRepository', 'repo', { url: git.url, ref: { branch: 'main' } })
  for (const chart of ['charts/app', '../../../etc', 'nowhere']) {
    const name = chart.replace(/\W/g, '') || 'x'
    await world.applies('HelmChart', name, { chart, ...from('repo', 'GitRepository') })
    assert.match(await world.conditions(name), /Ready=False/, chart)
    assert.equal((await world.chart(name))!.artifact, undefined, chart)
  }
})

test('HC-001 HC-007 HC-012 HC-038: an invalid spec is refused', async () => {
  const world = await openHelmWorld()
  await assert.rejects(world.applies('HelmChart', 'app', { ...from('repo') }), /spec\.chart/)
  await assert.rejects(world.applies('HelmChart', 'app', { chart: 'app' }), /sourceRef/)
  await assert.rejects(world.applies('HelmChart', 'app', { chart: 'app', ...from('repo', 'ConfigMap') }), /ConfigMap/)
  await assert.rejects(
    world.applies('HelmChart', 'app', { chart: 'app', reconcileStrategy: 'Never', ...from('repo') }),
    /Never/,
  )
})

test('HC-044 HC-072 HC-073 HC-074 HC-076 HC-078 HC-081 HC-082 HC-083: what is said while it goes wrong, and that it is taken back', async () => {
  const chart = (version: string) => ({ 'app/Chart.yaml': `apiVersion: v2\nname: app\nversion: ${version}\n` })
  const git = await gitRepo(chart('0.1.0'))
  const world = await openHelmWorld()
  await world.applies('GitRepository', 'repo', { url: git.url, ref: { branch: 'main' } })
  const spec = { chart: 'app', ...from('repo', 'GitRepository') }
  await world.applies('HelmChart', 'app', spec)
  await git.push(chart('0.2.0'))
  await world.advance(11 * minute)
  const said = world.changes
    .filter(({ ref, after }) => ref.kind === 'HelmChart' && after)
    .flatMap(({ after }) => shown(after))
    .join('\n')
  assert.match(said, /^Reconciling=True Progressing: /m)
  assert.match(said, /^Ready=Unknown Progressing: /m)
  assert.match(said, /^ArtifactOutdated=True NewChart: /m)
  assert.match(await world.conditions('app'), /^ArtifactInStorage=True ChartPackageSucceeded: /m)
  const good = await world.bytes('app')

  await world.applies('HelmChart', 'app', { ...spec, chart: 'gone' })
  assert.match(await world.conditions('app'), /^Ready=False /m)
  assert.deepEqual(await world.bytes('app'), good)
  const { artifacts } = world.platform
  const put = artifacts.put
  const broken = async () => {
    throw new Error('disk full')
  }
  Object.assign(artifacts, { put: broken })
  await world.applies('HelmChart', 'other', spec)
  assert.match(await world.conditions('other'), /^StorageOperationFailed=True .*disk full/m)
  const waits = world.passes.filter(({ ref }) => ref.name === 'other').length
  await world.advance(20 * minute)
  const tries = world.passes.filter(({ ref }) => ref.name === 'other').length - waits
  assert.ok(tries >= 2 && tries < 60, `${tries} tries in 20 minutes`)
  Object.assign(artifacts, { put })
  await world.advance(20 * minute)
  assert.doesNotMatch(await world.conditions('other'), /StorageOperationFailed|Reconciling/)

  await world.applies('HelmChart', 'other', { ...spec, suspend: true })
  const before = await world.conditions('other')
  for (const name of await world.stored()) if (name.includes('/other/')) await artifacts.delete(name)
  await world.advance(20 * minute)
  assert.equal(await world.conditions('other'), before)
  await world.applies('HelmChart', 'other', { ...spec, suspend: false })
  assert.deepEqual(await world.bytes('other'), good)
})

test('HC-077: a failed build is reported like in Flux: as an unknown build error, and with its cause in the event', async () => {
  const world = await openHelmWorld()
  const verify = { provider: 'cosign', secretRef: { name: 'keys' } }
  await world.applies('HelmRepository', 'closed', {
    type: 'oci',
    url: 'oci://127.0.0.1:1/charts',
    insecure: true,
    secretRef: { name: 'password' },
  })
  await world.applies('HelmChart', 'app', { chart: 'app', verify, ...from('closed') })
  const denied = `failed to get authentication secret 'default/password': secrets "password" not found`
  const conditions = await world.conditions('app')
  assert.match(conditions, new RegExp(`^FetchFailed=True Unknown: unknown build error: ${denied}$`, 'm'))
  assert.match(conditions, new RegExp(`^Ready=False Unknown: unknown build error: ${denied}$`, 'm'))
  assert.doesNotMatch(conditions, /SourceVerified/, 'credentials are looked for before keys')
  const events = await world.eventsOf({ group, kind: 'HelmChart', namespace: 'default', name: 'app' })
  assert.ok(events.some(event => event.startsWith('Warning AuthenticationFailed ') && event.endsWith(`: ${denied}`)))

  await world.applies('HelmRepository', 'odd', { type: 'oci', url: 'http://127.0.0.1:1/charts' })
  await world.applies('HelmChart', 'odd', { chart: 'app', ...from('odd') })
  const invalid = 'failed to construct Helm client: invalid OCI registry URL: http://127.0.0.1:1/charts'
  const stalled = await world.conditions('odd')
  assert.match(stalled, new RegExp(`^Stalled=True Failed: ${invalid}`, 'm'))
  assert.match(stalled, new RegExp(`^Ready=False Unknown: unknown build error: ${invalid}`, 'm'))
})

test('HC-054 HC-056: what was said of signatures goes with the pass that said it, and with spec.verify', async () => {
  const world = await openHelmWorld()
  const verify = { provider: 'cosign', secretRef: { name: 'keys' } }
  await world.applies('HelmRepository', 'repo', { type: 'oci', url: 'oci://127.0.0.1:1/charts', insecure: true })
  const spec = { chart: 'app', ...from('repo') }
  await world.applies('HelmChart', 'app', { ...spec, verify })
  assert.match(await world.conditions('app'), /^SourceVerified=False VerificationError: .*"keys" not found/m)
  await world.applies('HelmChart', 'app', spec)
  assert.doesNotMatch(await world.conditions('app'), /SourceVerified/)
  await world.applies('HelmChart', 'app', { ...spec, verify })
  assert.match(await world.conditions('app'), /^SourceVerified=False/m)
  await world.applies('HelmChart', 'app', { ...spec, verify, ...from('gone') })
  const conditions = await world.conditions('app')
  assert.match(conditions, /^FetchFailed=True SourceUnavailable/m)
  assert.doesNotMatch(conditions, /SourceVerified/)
})
