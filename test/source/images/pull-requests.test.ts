import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { Settings } from '../../../lib/compose/settings/settings.ts'
import { gitRepo } from '../../bed/git-repo.ts'
import { author, image, manifest, openAutomationWorld } from './automation-world.ts'
import { dialects, forgeServer } from './forges.ts'
import { minute, refOf } from './image-world.ts'

/** Where each forge serves a repository. */
const paths: Readonly<Record<string, string>> = {
  bitbucketserver: 'scm/org/app.git',
  azuredevops: 'org/shop/_git/app',
}
const auth = { username: 'bot', password: 'secret' }

/** An automation whose repository is in a forge: git and the API share an address. */
const openForgeWorld = async (forge: string, annotations: object = {}, settings: Partial<Settings> = {}) => {
  const server = await forgeServer(forge)
  const repo = await gitRepo({ 'app.yaml': manifest('1.0.0') }, { auth })
  const root = dirname(repo.dir)
  const path = paths[forge] ?? 'org/app.git'
  mkdirSync(join(root, dirname(path)), { recursive: true })
  symlinkSync(repo.dir, join(root, path))
  repo.server.intercept = ({ url = '', method, headers }, response, body) => {
    if (/\/(info\/refs|git-(upload|receive)-pack)/.test(url)) return false
    const options = { method, headers: { authorization: headers.authorization ?? '' }, ...(body.length && { body }) }
    void fetch(`${server.origin}${url}`, options as RequestInit).then(async reply => {
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text())
    })
    return true
  }
  const world = await openAutomationWorld({}, repo, settings)
  await world.create('Secret', 'login', { stringData: auth })
  await world.source({ url: `${repo.server.url}/${path}`, secretRef: { name: 'login' } })
  const git = { commit: { ...author, messageTemplate: 'Update images\n\nof the shop' }, push: { branch: 'auto' } }
  const spec = { sourceRef: { kind: 'GitRepository', name: 'app' }, interval: '10m', git }
  const automation = (more: object = {}) =>
    world.applies('ImageUpdateAutomation', 'auto', { ...spec, ...more }, 'default', {
      annotations: { 'image.keelson.dev/pull-request': forge, ...annotations },
    })
  return {
    ...world,
    automation,
    forge: server,
    ready: async () => (await world.conditions('ImageUpdateAutomation', 'auto'))[0],
    changing: () => server.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method),
    commits: (range = 'main..auto') => repo.git('rev-list', '--count', range),
    pushes: () => repo.operations().filter(operation => operation === 'push').length,
  }
}

for (const [name, { page, method }] of Object.entries(dialects))
  test(`IM-069 IM-045 ${name}: one pull request for a branch is opened, and updated with the next images`, async () => {
    const world = await openForgeWorld(name)
    await world.chooses('1.1.0')
    await world.automation()
    assert.equal(await world.ready(), 'Ready=True Succeeded: repository up-to-date')
    const marker = '<!-- keelson: ImageUpdateAutomation default/auto -->'
    const head = '| File | Object | Policy | From | To |\n| --- | --- | --- | --- | --- |'
    const row = (tag: string) =>
      `| \`app.yaml\` | \`Deployment/prod/app\` | \`default:app\` | \`${image}:1.0.0\` | \`${image}:${tag}\` |`
    const pull = (tag: string, version: number) => ({
      ...{ number: 1, from: 'auto', to: 'main', title: 'Update images', state: 'open' },
      ...{ body: `of the shop\n\n${head}\n${row(tag)}\n\n${marker}`, version },
    })
    assert.deepEqual(world.forge.pulls, [pull('1.1.0', 0)])
    assert.equal(await world.log(), 'Initial commit', 'main is left alone')
    const [event] = await world.eventsOf(refOf('ImageUpdateAutomation', 'auto'))
    assert.match(event!, /pushed commit '[0-9a-f]{7}' to branch 'auto', opened pull request http/)
    assert.ok(event!.includes(`${page}1\nUpdate images\n\nof the shop`), event)

    await world.chooses('1.2.0')
    assert.deepEqual(world.forge.pulls, [pull('1.2.0', 1)])
    assert.equal(await world.commits(), '1', 'the branch stays one commit over its base')

    const before = world.forge.requests.length
    world.repo.server.requests.splice(0)
    await world.advance(11 * minute)
    assert.deepEqual(world.repo.operations(), ['ls-refs'], 'nothing new: one request')
    assert.equal(world.forge.requests.length, before)
    assert.deepEqual(world.changing(), ['POST', method])
    await world.fsck()
  })

test('IM-069 a request that the forge refuses is reported with its words, and made again without another push', async () => {
  const world = await openForgeWorld('github')
  const errors = [{ message: 'No permission to create pull requests' }]
  world.forge.refusals.push({ status: 422, json: { message: 'Validation Failed', errors } })
  await world.chooses('1.1.0')
  await world.automation()
  const ready = await world.ready()
  assert.match(ready!, /^Ready=False GitOperationFailed: failed to open a pull request: POST http\S+\/pulls: 422 /)
  assert.match(ready!, /Validation Failed: No permission to create pull requests$/)
  assert.ok(!ready!.includes('secret'))
  await world.advance(15 * minute)
  assert.equal(world.forge.pulls.length, 1)
  assert.equal(world.pushes(), 1)
  assert.equal((await world.statusOf()).lastPushCommit, await world.repo.git('rev-parse', 'auto'))
  const events = await world.eventsOf(refOf('ImageUpdateAutomation', 'auto'))
  assert.ok(events.some(event => /^Normal Succeeded 1x: opened pull request http/.test(event)))
})

test('IM-069 a closed pull request stays closed until the next images; a merged one is followed by another', async () => {
  const world = await openForgeWorld('gitea')
  await world.chooses('1.1.0')
  await world.automation()
  world.forge.pulls[0]!.state = 'closed'
  await world.repo.push({ 'other.txt': 'x' })
  await world.advance(11 * minute)
  assert.equal(world.forge.pulls.length, 1, 'also while its base moves on')
  await world.chooses('1.2.0')
  assert.equal(world.forge.pulls.length, 2)
  assert.equal(await world.commits(), '1')

  // Squashed, and the branch is kept: what it had before is no part of the next pull request.
  world.forge.pulls[1]!.state = 'merged'
  await world.repo.push({ 'app.yaml': manifest('1.2.0') })
  await world.advance(11 * minute)
  assert.equal(world.forge.pulls.length, 2)
  await world.chooses('1.3.0')
  assert.equal(world.forge.pulls.length, 3)
  assert.equal(await world.repo.git('diff', '--name-only', 'main...auto'), 'app.yaml')
  assert.equal(await world.repo.git('rev-parse', 'auto^'), await world.repo.git('rev-parse', 'main'))
})

test('IM-069 a branch that conflicts with its base is made again over it; one that others have pushed to is continued', async () => {
  const world = await openForgeWorld('github')
  await world.chooses('1.1.0')
  await world.automation()
  await world.repo.push({ 'app.yaml': `${manifest('1.0.5')}# more\n` })
  await world.advance(11 * minute)
  assert.equal(await world.repo.git('rev-parse', 'auto^'), await world.repo.git('rev-parse', 'main'))
  assert.equal(`${await world.show('auto:app.yaml')}\n`, `${manifest('1.1.0')}# more\n`)
  assert.match(world.forge.pulls[0]!.body, /:1\.0\.5/)

  const theirs = await world.repo.push({ 'config.yaml': 'a: 1\n' }, { branch: 'auto' })
  await world.chooses('1.2.0')
  assert.equal(await world.repo.git('rev-parse', 'auto^'), theirs)
  assert.equal(world.forge.pulls.length, 1)
  assert.match(world.forge.pulls[0]!.body, /:1\.2\.0/)
  await world.fsck()
})

test('IM-063 IM-069 GitForcePushBranch=false: the branch gets further commits, and is never replaced', async () => {
  const world = await openForgeWorld('github', {}, { gitForcePush: false })
  await world.chooses('1.1.0')
  await world.automation()
  const first = await world.repo.git('rev-parse', 'auto')
  await world.chooses('1.2.0')
  assert.equal(await world.repo.git('rev-parse', 'auto^'), first)
  assert.match(world.forge.pulls[0]!.body, /:1\.0\.0.*:1\.2\.0/, 'it shows what all commits change')
  assert.equal(world.forge.pulls.length, 1)
  await world.advance(11 * minute)
  assert.equal(world.pushes(), 2)
})

test('IM-069 annotations that can not be followed stall an automation, and nothing is pushed', async () => {
  const world = await openForgeWorld('github', { 'image.keelson.dev/pull-request': 'sourcehut' })
  await world.chooses('1.1.0')
  await world.automation()
  const stalled = 'Ready=False InvalidSourceConfiguration: annotation image.keelson.dev/pull-request:'
  const forges = 'github, gitlab, gitea, bitbucket, bitbucketserver, azuredevops'
  assert.equal(await world.ready(), `${stalled} 'sourcehut' is none of ${forges}`)

  const annotated = (annotations: object, spec: object) =>
    world.applies('ImageUpdateAutomation', 'auto', spec, 'default', { annotations })
  const spec = (git: object) => ({
    ...{ sourceRef: { kind: 'GitRepository', name: 'app' }, interval: '10m' },
    git: { commit: author, ...git },
  })
  await annotated({ 'image.keelson.dev/pull-request': 'github' }, spec({}))
  assert.equal(await world.ready(), `${stalled} spec.git.push.branch must be another branch than 'main'`)
  await annotated(
    { 'image.keelson.dev/pull-request': 'github', 'image.keelson.dev/pull-request-secret': 'none' },
    spec({ push: { branch: 'auto' } }),
  )
  assert.match((await world.ready())!, /SourceManagerFailed: .* could not find secret 'none' of pull requests/)
  await annotated(
    { 'image.keelson.dev/pull-request': 'github' },
    spec({ checkout: { ref: { tag: 'v1' } }, push: { branch: 'auto' } }),
  )
  assert.match((await world.ready())!, /spec.git.checkout.ref, or spec.ref of the GitRepository, must be a branch$/)
  assert.equal(world.pushes(), 0)
  assert.equal(world.forge.requests.length, 0)
})

test('IM-069 a Secret of its own has the token for the API', async () => {
  const world = await openForgeWorld('gitlab', { 'image.keelson.dev/pull-request-secret': 'api' })
  await world.create('Secret', 'api', { stringData: { bearerToken: 'other' } })
  await world.chooses('1.1.0')
  await world.automation()
  assert.match((await world.ready())!, /failed to open a pull request: GET .*: 401 Unauthorized$/)
  assert.ok(world.forge.requests.every(({ headers }) => headers.authorization === 'Bearer other'))
})
