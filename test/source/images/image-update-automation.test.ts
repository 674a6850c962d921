import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { filesLayer, openRegistry } from '../oci/oci-world.ts'
import { author, image, manifest, openAutomationWorld } from './automation-world.ts'
import { minute, refOf } from './image-world.ts'

test('IM-039 IM-056 IM-058 IM-059: commits the latest image and pushes it; nothing but the marked field changes', async () => {
  const world = await openAutomationWorld({ 'app.yaml': manifest('1.0.0'), 'other.txt': 'kept' })
  await world.repo.git('config', 'receive.fsckObjects', 'true')
  await world.chooses('1.1.0')
  const before = await world.repo.git('rev-parse', 'main')
  await world.automation()
  const commit = await world.repo.git('rev-parse', 'main')
  assert.notEqual(commit, before)
  assert.equal(await world.repo.git('rev-parse', 'main^'), before)
  assert.equal(`${await world.show('main:app.yaml')}\n`, manifest('1.1.0'))
  assert.equal(
    await world.repo.git('diff', '--stat', '--format=', 'main^', 'main'),
    ' app.yaml | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)',
  )
  assert.equal(
    await world.repo.git('log', '-1', '--format=%an <%ae> %cn <%ce>%n%B', 'main'),
    'Fluxbot <flux@example.com> Fluxbot <flux@example.com>\nUpdate from image update automation',
  )
  const { lastAutomationRunTime, lastPushTime, conditions: _, ...status } = await world.statusOf()
  assert.deepEqual(status, {
    lastPushCommit: commit,
    observedGeneration: 1,
    observedPolicies: { app: { name: image, tag: '1.1.0' } },
    observedSourceRevision: `main@sha1:${commit}`,
  })
  assert.ok(lastAutomationRunTime && lastPushTime)
  assert.deepEqual(await world.conditions('ImageUpdateAutomation', 'auto'), [
    'Ready=True Succeeded: repository up-to-date',
  ])
  assert.deepEqual(await world.eventsOf(refOf('ImageUpdateAutomation', 'auto')), [
    `Normal Succeeded 1x: pushed commit '${commit.slice(0, 7)}' to branch 'main'\nUpdate from image update automation`,
  ])
  await world.fsck()
})

test('IM-056 IM-057 IM-062: runs when a policy changes, skips while neither it nor the repository does', async () => {
  const world = await openAutomationWorld()
  await world.chooses('1.0.0')
  await world.automation()
  assert.deepEqual(await world.conditions('ImageUpdateAutomation', 'auto'), [
    'Ready=True Succeeded: repository up-to-date',
  ])
  assert.equal(await world.log(), 'Initial commit')
  world.repo.server.requests.splice(0)

  await world.advance(11 * minute)
  assert.deepEqual(world.repo.operations(), ['ls-refs'], 'nothing new: one request')

  await world.chooses('1.2.0')
  assert.match(await world.show('main:app.yaml'), /1\.2\.0/)
  world.repo.server.requests.splice(0)

  await world.repo.push({ 'b.yaml': manifest('0.9.0') })
  await world.advance(11 * minute)
  assert.match(await world.show('main:b.yaml'), /1\.2\.0/)
})

test('IM-062: runs at once when its own spec changes', async () => {
  const world = await openAutomationWorld()
  await world.chooses('1.2.0')
  await world.automation({ policySelector: { matchLabels: { of: 'others' } } })
  assert.match(await world.show('main:app.yaml'), /1\.0\.0/)
  await world.automation()
  assert.match(await world.show('main:app.yaml'), /1\.2\.0/)
  assert.equal((await world.statusOf()).observedGeneration, 2)
})

test('IM-062: runs at once when the spec of its GitRepository changes, and not with its status', async () => {
  const world = await openAutomationWorld()
  await world.repo.push({ 'app.yaml': manifest('1.0.0') }, { branch: 'next' })
  await world.chooses('1.2.0')
  await world.automation()
  assert.match(await world.show('main:app.yaml'), /1\.2\.0/)
  assert.match(await world.show('next:app.yaml'), /1\.0\.0/)
  world.repo.server.requests.splice(0)
  const ref = { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository', namespace: 'default', name: 'app' }
  const status = { type: 'merge', patch: { status: { observedGeneration: 7 } } } as const
  await world.hub.patch(ref, status, { fieldManager: 'test', subresource: 'status' })
  await world.settle()
  assert.deepEqual(world.repo.operations(), [])
  await world.source({ ref: { branch: 'next' } })
  await world.settle()
  assert.match(await world.show('next:app.yaml'), /1\.2\.0/)
})

test('IM-035 IM-062: a push to a registry becomes a commit with the next scan, without an interval in between', async () => {
  const registry = await openRegistry()
  const pushImage = (tag: string) => registry.push({ layers: [filesLayer({ 'a.yaml': tag })] }, 'app', tag)
  await pushImage('1.0.0')
  const name = `${registry.server.host}/app`
  const text = (tag: string) => `image: ${name}:${tag} # {"$imagepolicy": "default:app"}\n`
  const world = await openAutomationWorld({ 'app.yaml': text('1.0.0') })
  await world.repository('app', { image: name })
  await world.policy('app', { policy: { semver: { range: '>=1.0.0' } } })
  await world.automation({ interval: '10h' })
  assert.equal(await world.log(), 'Initial commit')
  await pushImage('1.1.0')
  await world.request('ImageRepository', 'app', 'pushed')
  assert.equal(`${await world.show('main:app.yaml')}\n`, text('1.1.0'))
})

test('IM-041 IM-042 IM-047: a template with its values, for the files below a path', async () => {
  const world = await openAutomationWorld({
    'clusters/prod/app.yaml': manifest('1.0.0'),
    'clusters/production.yaml': manifest('1.0.0'),
    'elsewhere.yaml': manifest('1.0.0'),
  })
  await world.chooses('1.1.0')
  const messageTemplate = `{{ .Values.team }}: {{ .AutomationObject }}
{{ range $file, $_ := .Changed.FileChanges }}{{ $file }}{{ end }}
{{ range $object, $changes := .Changed.Objects }}{{ $object.Kind }}/{{ $object.Name }}{{ range $changes }} {{ .OldValue }} -> {{ .NewValue }}{{ end }}{{ end }}`
  await world.automation({
    git: { commit: { ...author, messageTemplate, messageTemplateValues: { team: 'web' } } },
    update: { path: './clusters/prod' },
  })
  assert.equal(
    await world.repo.git('log', '-1', '--format=%B', 'main'),
    `web: default/auto\napp.yaml\nDeployment/app ${image}:1.0.0 -> ${image}:1.1.0`,
  )
  assert.equal(await world.repo.git('diff', '--name-only', 'main^', 'main'), 'clusters/prod/app.yaml')

  await world.automation({ update: { path: './nowhere' } })
  const [ready] = await world.conditions('ImageUpdateAutomation', 'auto')
  assert.match(ready!, /^Ready=False UpdateFailed: failed to apply policies: .*nowhere: no such file or directory/)

  await world.automation({ git: { commit: { ...author, messageTemplate: '{{ .Updated.Images }}' } } })
  assert.match(
    (await world.conditions('ImageUpdateAutomation', 'auto')).join('\n'),
    /Stalled=True RemovedTemplateField/,
  )
})

test('IM-046: a selector restricts the policies; an invalid one stalls', async () => {
  const world = await openAutomationWorld({
    'a.yaml': `a: ${image}:1 # {"$imagepolicy": "default:a"}\n`,
    'b.yaml': `b: ${image}:1 # {"$imagepolicy": "default:b"}\n`,
  })
  await world.chooses('2', 'a', { tier: 'web' })
  await world.chooses('2', 'b', { tier: 'db' })
  const expressions = (operator: string) => ({
    policySelector: { matchExpressions: [{ key: 'tier', operator, values: ['web'] }] },
  })
  await world.automation(expressions('In'))
  assert.deepEqual(
    [await world.show('main:a.yaml'), await world.show('main:b.yaml')].map(text => text.includes(':2 ')),
    [true, false],
  )
  assert.deepEqual(Object.keys((await world.statusOf()).observedPolicies!), ['a'])
  await world.automation(expressions('Near'))
  const message = 'failed to parse policy selector: "Near" is not a valid label selector operator'
  assert.deepEqual(await world.conditions('ImageUpdateAutomation', 'auto'), [
    `Ready=False InvalidPolicySelector: ${message}`,
    `Stalled=True InvalidPolicySelector: ${message}`,
  ])
})

test('IM-044 IM-045 IM-070: another push branch is created, then continued, and shows what would change on main; a refspec and options are pushed too', async () => {
  const world = await openAutomationWorld()
  await world.repo.git('config', 'receive.advertisePushOptions', 'true')
  await world.chooses('1.1.0')
  const push = {
    branch: 'auto',
    refspec: 'refs/heads/auto:refs/heads/copy',
    options: { 'merge_request.create': 'true' },
  }
  await world.automation({ git: { commit: author, push } })
  assert.match(await world.show('main:app.yaml'), /1\.0\.0/)
  assert.match(await world.repo.git('diff', 'main', 'auto'), /^-.*1\.0\.0.*\n\+.*1\.1\.0/m)
  const first = await world.repo.git('rev-parse', 'auto')
  assert.equal(await world.repo.git('rev-parse', 'auto^'), await world.repo.git('rev-parse', 'main'))
  assert.equal(await world.repo.git('rev-parse', 'copy'), first)
  const main = await world.repo.git('rev-parse', 'main')
  assert.equal((await world.statusOf()).observedSourceRevision, `main@sha1:${main}`)
  const [event] = await world.eventsOf(refOf('ImageUpdateAutomation', 'auto'))
  const refspec = "and refspecs 'refs/heads/auto:refs/heads/copy'"
  assert.match(event!, new RegExp(`pushed commit '${first.slice(0, 7)}' to branch 'auto' ${refspec}\n`))

  await world.chooses('1.2.0')
  assert.equal(await world.repo.git('rev-parse', 'auto^'), first)
  assert.match(await world.show('auto:app.yaml'), /1\.2\.0/)
  await world.advance(11 * minute)
  assert.equal(await world.repo.git('rev-list', '--count', 'main..auto'), '2', 'no change, no commit')
})

test('IM-038 IM-048 IM-055: another branch is checked out; a suspended automation pushes nothing; links are not followed', async () => {
  const world = await openAutomationWorld()
  await world.repo.push({ 'dev.yaml': manifest('1.0.0'), 'link.yaml': { linkTo: 'dev.yaml' } }, { branch: 'dev' })
  const git = { checkout: { ref: { branch: 'dev' } }, commit: author }
  await world.automation({ git, suspend: true })
  await world.chooses('1.1.0')
  assert.match(await world.show('dev:dev.yaml'), /1\.0\.0/)
  await world.automation({ git, suspend: false })
  assert.match(await world.show('dev:dev.yaml'), /1\.1\.0/)
  assert.match(await world.show('main:app.yaml'), /1\.0\.0/)
  assert.equal(await world.repo.git('cat-file', '-p', 'dev:link.yaml'), 'dev.yaml')
  const commit = await world.repo.git('rev-parse', 'dev^')
  await world.automation({ git: { checkout: { ref: { commit } }, commit: author, push: { branch: 'of-commit' } } })
  assert.equal(await world.repo.git('rev-parse', 'of-commit^'), commit)
})

test('IM-060 IM-061: a refusal of the server is reported with its words; a race is run again on the new head', async () => {
  const world = await openAutomationWorld()
  const hook = join(world.repo.dir, 'hooks/pre-receive')
  writeFileSync(hook, '#!/bin/sh\necho "only on weekdays" >&2\nexit 1\n', { mode: 0o755 })
  await world.chooses('1.1.0')
  await world.automation()
  const [ready] = await world.conditions('ImageUpdateAutomation', 'auto')
  const refused = 'failed to update source: failed to push to remote: command error on refs/heads/main'
  assert.equal(ready, `Ready=False GitOperationFailed: ${refused}: pre-receive hook declined: remote: only on weekdays`)
  writeFileSync(hook, '#!/bin/sh\nexit 0\n', { mode: 0o755 })

  let pushes = 0
  world.repo.server.intercept = ({ url = '' }, response) => {
    if (!url.endsWith('/git-receive-pack') || pushes++ > 0) return false
    // Somebody else is faster: what the client sends is held back until then.
    void world.repo
      .push({ 'b.yaml': manifest('1.0.0') })
      .then(() => response.writeHead(200, { 'content-type': 'application/x-git-receive-pack-result' }).end(report))
    return true
  }
  const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`
  const status = `${line('unpack ok\n')}${line('ng refs/heads/main failed to update ref\n')}0000`
  const report = `${line(`\u0001${status}`)}0000`
  await world.advance(15 * minute)
  assert.equal(await world.log(), 'Update from image update automation\nChange 2\nInitial commit')
  assert.match(await world.show('main:b.yaml'), /1\.1\.0/)
  assert.equal(pushes, 2)
})

test('IM-037 IM-061: what is missing, forbidden or incomplete is named', async () => {
  const world = await openAutomationWorld()
  await world.chooses('1.1.0')
  const ready = async () => (await world.conditions('ImageUpdateAutomation', 'auto'))[0]
  const failed = 'Ready=False SourceManagerFailed: failed configuring source manager:'
  await world.automation({ sourceRef: { kind: 'GitRepository', name: 'none' } })
  const missing = 'referenced git repository does not exist: GitRepository.source.toolkit.fluxcd.io "none" not found'
  assert.equal(await ready(), `${failed} ${missing}`)

  await world.source({ secretRef: { name: 'none' } })
  await world.automation()
  assert.equal(await ready(), `${failed} failed to get auth secret 'default/none': secrets "none" not found`)

  await world.source({ ref: { tag: 'v1' } })
  await world.automation({ interval: '11m' })
  assert.match((await ready())!, /push spec not provided, and cannot be inferred from/)

  await world.source({ ref: { branch: 'gone' } })
  await world.automation({ interval: '12m' })
  assert.match((await ready())!, /^Ready=False GitOperationFailed: failed to checkout source: unable to clone/)

  await world.source({ provider: 'azure', serviceAccountName: 'any' })
  await world.automation({ interval: '13m' })
  const conditions = (await world.conditions('ImageUpdateAutomation', 'auto')).join('\n')
  assert.match(conditions, /^Stalled=True FeatureGateDisabled: to use spec\.serviceAccountName/m)

  await world.source()
  await world.automation({ git: { commit: { ...author, signingKey: { secretRef: { name: 'key' } } } } })
  assert.equal(await ready(), `${failed} could not find signing key secret 'key': secrets "key" not found`)
  await world.create('Secret', 'key', { stringData: { other: 'x' } })
  await world.automation({ git: { commit: { ...author, signingKey: { secretRef: { name: 'key' }, type: 'ssh' } } } })
  assert.equal(await ready(), `${failed} signing key secret 'key' does not contain an 'identity' key`)
})
