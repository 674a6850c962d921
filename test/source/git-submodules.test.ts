import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blobNameOf } from '../../lib/foundations/kinds/artifact.ts'
import type { GitRepository } from '../../lib/foundations/kinds/git-repository.ts'
import { extract } from '../../lib/sources/artifact/extract.ts'
import { readGitModules, submoduleUrl } from '../../lib/sources/git/git-modules.ts'
import { type GitRepo, gitRepo } from '../bed/git-repo.ts'
import { shown } from '../unit/reconcile/world.ts'
import { openGitWorld } from './git-world.ts'

/** Commits submodules, at their present commits, on top of main. */
const addSubmodules = async (
  repo: GitRepo,
  modules: Readonly<Record<string, readonly [GitRepo, string]>>,
): Promise<void> => {
  const text = Object.entries(modules).map(
    ([path, [, url]]) => `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n`,
  )
  await repo.push({ '.gitmodules': text.join('') })
  const index = ['-c', 'core.bare=false', `--work-tree=${repo.dir}`]
  await repo.git(...index, 'read-tree', 'main')
  for (const [path, [module]] of Object.entries(modules)) {
    const commit = await module.git('rev-parse', 'main')
    await repo.git(...index, 'update-index', '--add', '--cacheinfo', `160000,${commit},${path}`)
  }
  const tree = await repo.git(...index, 'write-tree')
  const commit = await repo.git('commit-tree', tree, '-p', 'main', '-m', 'Add submodules')
  await repo.git('update-ref', 'refs/heads/main', commit)
}

const pathsOf = async (world: Awaited<ReturnType<typeof openGitWorld>>, name: string) => {
  const { artifact } = (await world.statusOf(name)) ?? {}
  if (!artifact) return shown(await world.hub.get<GitRepository>(world.ref(name)))
  const content = await world.platform.artifacts.get(blobNameOf(artifact))
  return [...(await extract(content!)).keys()].filter(path => !path.startsWith('.git')).sort()
}

test('includes submodules recursively if requested, and packs again when that changes', async () => {
  const inner = await gitRepo({ 'inner.yaml': '1' })
  const lib = await gitRepo({ 'lib.yaml': '1' })
  await addSubmodules(lib, { nested: [inner, inner.url] })
  const app = await gitRepo({ 'app.yaml': '1' })
  await addSubmodules(app, { 'vendor/lib': [lib, lib.url] })
  const world = await openGitWorld()
  await world.applies('app', { url: app.url })
  assert.deepEqual(await pathsOf(world, 'app'), ['app.yaml'])
  await world.applies('app', { url: app.url, recurseSubmodules: true })
  assert.deepEqual(await pathsOf(world, 'app'), ['app.yaml', 'vendor/lib/lib.yaml', 'vendor/lib/nested/inner.yaml'])
  assert.equal((await world.statusOf('app'))?.observedRecurseSubmodules, true)
  await world.applies('part', { url: app.url, recurseSubmodules: true, sparseCheckout: ['vendor/lib/nested'] })
  assert.deepEqual(await pathsOf(world, 'part'), ['vendor/lib/nested/inner.yaml'])
})

test('shows its credentials to no other server than its own', async () => {
  const auth = { username: 'me', password: 'hush' }
  const lib = await gitRepo({ 'lib.yaml': '1' })
  const app = await gitRepo({ 'app.yaml': '1' }, { auth })
  await addSubmodules(app, { lib: [lib, lib.url] })
  const world = await openGitWorld()
  const data = Object.fromEntries(
    Object.entries(auth).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  )
  await world.hub.create(
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'default' }, data },
    { fieldManager: 'x' },
  )
  await world.applies('app', { url: app.url, recurseSubmodules: true, secretRef: { name: 's' } })
  assert.deepEqual(await pathsOf(world, 'app'), ['app.yaml', 'lib/lib.yaml'])
  assert.ok(lib.server.requests.length > 0)
  assert.ok(lib.server.requests.every(({ headers }) => !headers.authorization))
})

test('names the submodule that can not be fetched', async () => {
  const lib = await gitRepo({ 'lib.yaml': '1' })
  const app = await gitRepo({ 'app.yaml': '1' })
  await addSubmodules(app, { lib: [lib, `${lib.server.url}/gone.git`] })
  const world = await openGitWorld()
  await world.applies('app', { url: app.url, recurseSubmodules: true })
  assert.match(
    (await pathsOf(world, 'app')).join('\n'),
    /GitOperationFailed: .*submodule 'lib': unable to clone '.*\/gone\.git': repository not found/,
  )
  await addSubmodules(app, { lib: [lib, 'file:///etc'] })
  await world.applies('app', { url: app.url, recurseSubmodules: true, interval: '11m' })
  assert.match(
    (await pathsOf(world, 'app')).join('\n'),
    /submodule 'lib': a submodule has an address that is neither HTTP\/S nor SSH/,
  )
})

test('repositories that hold each other end with an error, not without end', async () => {
  const app = await gitRepo({ 'app.yaml': '1' })
  // A commit can't hold itself: what it holds is its parent, which holds its own, and so on.
  for (let depth = 0; depth < 12; depth++) await addSubmodules(app, { self: [app, app.url] })
  const world = await openGitWorld()
  await world.applies('app', { url: app.url, recurseSubmodules: true })
  assert.match((await pathsOf(world, 'app')).join('\n'), /submodules are nested deeper than 10/)
})

test('reads .gitmodules as git does', () => {
  const text =
    '[core]\n\turl = no\n[submodule "a b"]\n\tpath = x/y ; why\n\tURL = "../lib.git"\n[submodule "half"]\n\tpath = z\n'
  assert.deepEqual([...readGitModules(text)], [['x/y', { path: 'x/y', url: '../lib.git' }]])
})

test('finds the address of a submodule', () => {
  const parent = new URL('https://git.example.com/team/app.git')
  const addresses = {
    '../lib.git': 'https://git.example.com/team/lib.git',
    '../../other/lib': 'https://git.example.com/other/lib',
    './sub': 'https://git.example.com/team/app.git/sub',
    'https://example.org/x': 'https://example.org/x',
    'git@github.com:org/x.git': 'ssh://git@github.com/org/x.git',
  }
  for (const [address, url] of Object.entries(addresses)) assert.equal(submoduleUrl(parent, address).href, url)
  for (const address of ['file:///etc', '/etc', '../../../../../x', 'ext::sh -c id'])
    assert.throws(() => submoduleUrl(parent, address), /neither HTTP\/S nor SSH/)
})
