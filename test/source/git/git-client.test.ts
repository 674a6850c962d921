import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { GitReference } from '../../../lib/foundations/kinds/git-repository.ts'
import { revisionOf } from '../../../lib/sources/git/reference.ts'
import { git } from '../../bed/git.ts'
import { type GitRepo, gitRepo } from '../../bed/git-repo.ts'
import { openSession } from './session.ts'

/** Paths to texts, with an asterisk after programs. */
const textsOf = (tree: ReadonlyMap<string, { content: Uint8Array; executable: boolean }>) =>
  Object.fromEntries(
    [...tree].map(([path, file]) => [path + (file.executable ? '*' : ''), Buffer.from(file.content).toString()]),
  )

test('fetches the files of a branch in two requests, without links and submodules', async () => {
  const repo = await gitRepo({
    'a.yaml': 'a: 1\n',
    'deploy/b.sh': { executable: '#!/bin/sh\n' },
    'deploy/é/c.yaml': 'c: 1\n',
    link: { linkTo: 'a.yaml' },
  })
  await addSubmodule(repo, 'sub')
  const session = openSession(repo.url)
  const checkout = await session.fetch(await session.resolve({ branch: 'main' }))
  assert.deepEqual(textsOf(checkout.tree), {
    'a.yaml': 'a: 1\n',
    'deploy/b.sh*': '#!/bin/sh\n',
    'deploy/é/c.yaml': 'c: 1\n',
  })
  assert.equal(checkout.commit.message, 'Add sub\n')
  assert.deepEqual(repo.operations(), ['ls-refs', 'fetch'])
})

const addSubmodule = async (repo: GitRepo, path: string): Promise<void> => {
  const main = await repo.git('rev-parse', 'main')
  const input = `${await repo.git('ls-tree', 'main')}\n160000 commit ${main}\t${path}\n`
  const tree = await git(['mktree'], { cwd: repo.dir, input })
  await repo.git('update-ref', 'refs/heads/main', await repo.git('commit-tree', '-m', `Add ${path}`, tree))
}

test('sees with one request that a branch has not changed', async () => {
  const repo = await gitRepo({ 'a.yaml': '1' })
  const target = await openSession(repo.url).resolve({ branch: 'main' }, true)
  assert.deepEqual(repo.operations(), ['ls-refs'])
  assert.equal(revisionOf(target), `main@sha1:${await repo.git('rev-parse', 'main')}`)
})

test('resolves every kind of reference', async () => {
  const repo = await gitRepo({ a: '1' })
  const first = await repo.push({ a: '2' }, { tag: 'v1.0.0' })
  const second = await repo.push({ a: '3' }, { tag: '1.2.0', annotation: 'annotated' })
  const third = await repo.push({ a: '4' }, { tag: 'v1.2.0-rc.1' })
  const main = await repo.push({ a: '5' })
  const twin = await repo.push({ a: '6' }, { branch: 'main2' })
  await repo.git('update-ref', 'refs/pull/1/head', first)
  await repo.git('branch', 'v1.0.0', third)

  const session = openSession(repo.url)
  const found: Record<string, GitReference> = {
    [`main@sha1:${main}`]: { branch: 'main' },
    [`main2@sha1:${twin}`]: { branch: 'main2' },
    [`v1.0.0@sha1:${first}`]: { tag: 'v1.0.0' },
    [`v1.0.0@sha1:${third}`]: { branch: 'v1.0.0' },
    [`1.2.0@sha1:${second}`]: { semver: '1.x' },
    [`v1.2.0-rc.1@sha1:${third}`]: { semver: '>=1.0.0-0 <1.2.0' },
    [`refs/heads/main@sha1:${main}`]: { name: 'refs/heads/main' },
    [`refs/tags/1.2.0@sha1:${second}`]: { name: 'refs/tags/1.2.0' },
    [`refs/pull/1/head@sha1:${first}`]: { name: 'refs/pull/1/head' },
    [`sha1:${first}`]: { commit: first },
    [`main@sha1:${first}`]: { branch: 'main', commit: first },
  }
  for (const [revision, reference] of Object.entries(found)) {
    const target = await session.resolve(reference)
    assert.equal(revisionOf(target), revision)
    assert.equal((await session.fetch(target)).commit.id, target.commit, revision)
  }
})

test('goes by commit, name, tag, semver and branch, in this order', async () => {
  const repo = await gitRepo({ a: '1' })
  const tagged = await repo.push({ a: '2' }, { tag: 'v1.0.0' })
  const higher = await repo.push({ a: '3' }, { tag: 'v2.0.0' })
  const session = openSession(repo.url)
  const all = { branch: 'main', semver: '*', tag: 'v1.0.0', name: 'refs/tags/v2.0.0', commit: tagged }
  const { commit, name, tag, semver, ...rest } = all
  assert.equal(revisionOf(await session.resolve(all)), `main@sha1:${tagged}`)
  assert.equal(revisionOf(await session.resolve({ name, tag, semver, ...rest })), `refs/tags/v2.0.0@sha1:${higher}`)
  assert.equal(revisionOf(await session.resolve({ tag, semver, ...rest })), `v1.0.0@sha1:${tagged}`)
  assert.equal(revisionOf(await session.resolve({ semver, ...rest })), `v2.0.0@sha1:${higher}`)
})

test('searches for a commit on its branch only, however far back', async () => {
  const repo = await gitRepo({ a: '1' })
  const old = await repo.git('rev-parse', 'main')
  for (const a of ['2', '3', '4']) await repo.push({ a })
  const elsewhere = await repo.push({ a: '5' }, { branch: 'other' })
  const session = openSession(repo.url)
  const fetched = async (commit: string, branch?: string) => {
    const target = await session.resolve({ commit, ...(branch && { branch }) })
    return (await session.fetch(target)).commit.id
  }
  assert.equal(await fetched(old, 'main'), old)
  assert.equal(await fetched(elsewhere), elsewhere)
  const message = `unable to resolve commit object for '${elsewhere}': object not found`
  await assert.rejects(fetched(elsewhere, 'main'), { code: 'referenceNotFound', message })
  await assert.rejects(fetched(old, 'gone'), /couldn't find remote ref "refs\/heads\/gone"/)
})

test('orders versions that differ in build metadata only by the time of their commits', async () => {
  const repo = await gitRepo({ a: '1' })
  await repo.push({ a: '2' }, { tag: '1.0.0+b', annotation: 'older' })
  const newer = await repo.push({ a: '3' }, { tag: '1.0.0+a', annotation: 'newer' })
  assert.equal(revisionOf(await openSession(repo.url).resolve({ semver: '1' })), `1.0.0+a@sha1:${newer}`)
})

test('checks out only what begins with the prefixes given', async () => {
  const repo = await gitRepo({ 'a/x': '1', 'a/b/y': '2', 'ab/z': '3', 'c/w': '4' })
  const session = openSession(repo.url)
  const target = await session.resolve({ branch: 'main' })
  const pathsWith = async (...prefixes: string[]) => [...(await session.fetch(target, { prefixes })).tree.keys()].sort()
  assert.deepEqual(await pathsWith('a/b'), ['a/b/y'])
  assert.deepEqual(await pathsWith('a'), ['a/b/y', 'a/x', 'ab/z'])
  assert.deepEqual(await pathsWith('a/', 'c'), ['a/b/y', 'a/x', 'c/w'])
  assert.deepEqual(await pathsWith(''), ['a/b/y', 'a/x', 'ab/z', 'c/w'])
  assert.deepEqual(await pathsWith('nowhere'), [])
})

test('fetches the files of some folders alone, where the server lets it choose', async () => {
  const repo = await gitRepo({ 'a/x': 'small', 'big/y': randomBytes(2 << 20).toString('hex') })
  const sizes: Record<string, number> = {}
  for (const mode of ['refused', 'allowed']) {
    if (mode === 'allowed') await repo.git('config', 'uploadpack.allowFilter', 'true')
    const limits = { maxPackBytes: 64 << 20, maxObjects: 100, maxObjectBytes: 64 << 20, maxTotalBytes: 64 << 20 }
    const session = openSession(repo.url, {
      limits: { ...limits, maxFiles: 100, maxEntries: 100, maxBytes: 64 << 20, maxDepth: 10 },
    })
    const target = await session.resolve({ branch: 'main' })
    const { tree } = await session.fetch(target, { prefixes: ['a/'] })
    assert.deepEqual([...tree.keys()], ['a/x'])
    assert.equal(Buffer.from(tree.get('a/x')!.content).toString(), 'small')
    sizes[mode] = repo.operations().filter(operation => operation === 'fetch').length
  }
  assert.deepEqual(sizes, { refused: 2, allowed: 4 })
})

test('leaves pointers of Git LFS as they are', async () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`
  const repo = await gitRepo({ '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n', 'model.bin': pointer })
  const session = openSession(repo.url)
  const { tree } = await session.fetch(await session.resolve({ branch: 'main' }))
  assert.equal(textsOf(tree)['model.bin'], pointer)
})

test('says in the words of source-controller what is missing', async () => {
  const repo = await gitRepo({ a: '1' })
  const session = openSession(repo.url)
  const failure = (reference: GitReference) => session.resolve(reference).then(target => session.fetch(target))
  const unable = `unable to clone '${repo.url}':`
  const wrong: [GitReference, string][] = [
    [{ branch: 'nope' }, `${unable} couldn't find remote ref "refs/heads/nope"`],
    [{}, `${unable} couldn't find remote ref "refs/heads/master"`],
    [{ tag: 'v9' }, `${unable} couldn't find remote ref "refs/tags/v9"`],
    [{ name: 'main' }, `unable to resolve ref 'main' to a specific commit`],
    [{ name: '/refs/heads/main' }, `ref /refs/heads/main is invalid; Git refs cannot begin or end with a slash '/'`],
    [{ semver: '5.x' }, 'no match found for semver: 5.x'],
    [{ semver: 'not-a-range' }, 'semver parse error: improper constraint: "not-a-range"'],
    [{ commit: 'abcdef' }, `unable to resolve commit object for 'abcdef': object not found`],
    [{ commit: 'f'.repeat(40) }, `unable to resolve commit object for '${'f'.repeat(40)}': object not found`],
  ]
  for (const [reference, message] of wrong) {
    await assert.rejects(failure(reference), { name: 'GitError', code: 'referenceNotFound', message })
  }
})

test('distinguishes an empty repository from one without the branch', async () => {
  const repo = await gitRepo({ a: '1' })
  await repo.git('update-ref', '-d', 'refs/heads/main')
  await assert.rejects(openSession(repo.url).resolve({ branch: 'main' }), {
    code: 'emptyRepository',
    message: 'git repository is empty',
  })
})

test('speaks protocol v0 and v1 with old servers, and remembers them', async () => {
  for (const version of ['', 'version=1']) {
    const repo = await gitRepo({ 'a.yaml': 'a: 1\n' })
    await repo.push({ b: '2' }, { tag: 'v1.0.0', annotation: 'annotated' })
    repo.server.intercept = request => {
      request.headers['git-protocol'] = version
      return false
    }
    const session = openSession(repo.url)
    const checkout = await session.fetch(await session.resolve({ branch: 'main' }))
    assert.deepEqual(textsOf(checkout.tree), { 'a.yaml': 'a: 1\n', b: '2' })
    assert.equal((await session.fetch(await session.resolve({ tag: 'v1.0.0' }))).commit.id, checkout.commit.id)
    await assert.rejects(session.resolve({ branch: 'nope' }), { code: 'referenceNotFound' })
    assert.deepEqual(repo.operations(), ['ls-refs', 'advertise', 'fetch', 'fetch'], version)
  }
})
