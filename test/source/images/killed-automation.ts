import assert from 'node:assert/strict'
import { test } from 'node:test'
import { git } from '../../bed/git.ts'
import { gitRepo } from '../../bed/git-repo.ts'
import { type GitCopy, type GitState, gitStates } from '../../bed/git-states.ts'
import { Life } from '../../bed/life.ts'
import { automationProcess, copies, type Forge, type Way } from './automation-process.ts'
import { manifest } from './automation-world.ts'

const auth = { username: 'bot', password: 'secret' }
const branchOf = (way: Way): string => (way === 'a branch' ? 'main' : 'auto')

const marked = ['app.yaml', 'b/app.yaml']

/** What git finds in a repository, which has no fault. */
const read = async ({ dir }: GitState, branch: string) => {
  const ask = (...args: string[]) => git(args, { cwd: dir })
  const lines = async (...args: string[]) => (await ask(...args)).split('\n').filter(Boolean)
  await ask('fsck', '--strict', '--full', '--no-dangling')
  const refs = await lines('for-each-ref', '--format=%(refname)')
  const hasBranch = refs.includes(`refs/heads/${branch}`)
  return {
    refs,
    commits: await lines('log', '--all', '--format=%H', '--grep=Update from'),
    /** Of the branch, the newest first. */
    history: hasBranch ? await lines('rev-list', branch) : [],
    files: hasBranch ? await ask('show', ...marked.map(file => `${branch}:${file}`)) : '',
    /** What the branch `copy` is at. */
    copy: refs.includes('refs/heads/copy') ? await ask('rev-parse', 'copy') : undefined,
  }
}

/** Repositories for one way; each state of them is read once. */
const repositories = async (way: Way) => {
  const repo = await gitRepo(Object.fromEntries(marked.map(file => [file, manifest('1.0.0')])))
  await repo.git('config', 'receive.fsckObjects', 'true')
  if (way === 'a branch, and then its copy') await repo.git('config', 'receive.advertiseAtomic', 'false')
  await repo.git('tag', 'v1', 'main')
  const isReplaced = way === 'a replaced branch' || way === 'a branch over a tag'
  if (isReplaced) await repo.push({ 'other.yaml': 'of: others' }, { branch: 'auto' })
  const copy = await gitStates(repo)
  const found = new Map<GitState, ReturnType<typeof read>>()
  return {
    copy,
    contents: ({ state }: GitCopy) => {
      if (!found.has(state)) found.set(state, read(state, branchOf(way)))
      return found.get(state)!
    },
  }
}
type Repositories = Awaited<ReturnType<typeof repositories>>

/** A process that dies at its k-th step, and another one that goes on; false if it has fewer steps. */
const dieAndGoOn = async ({ copy, contents }: Repositories, steps: number, when: 'before' | 'after', way: Way) => {
  const repo = copy()
  const url = Object.assign(new URL(repo.url), auth) // the forge wants a token
  const forge: Forge = { open: [], created: 0 }
  const bed = { url: url.href, forge, way }
  const life = new Life()
  const first = await automationProcess(bed, life)
  await first.begin('1.1.0')
  life.arm(steps, when)
  await first.live(5)
  const at = `${when} step ${steps}, ${life.lastStep}, with ${way}`
  await first.close({ keeps: true })

  const then = await contents(repo)
  assert.ok(then.commits.length <= 1, `${at}: at most one commit when it dies`)
  for (const ref of then.refs) assert.match(ref, /^refs\/(heads\/(main|auto|copy)|tags\/v1)$/)
  if (way === 'a branch and its copy') assert.equal(then.copy, then.history[0], `${at}: both or neither`)

  const next = await automationProcess(bed, new Life(), first)
  await next.live(30)
  const { commits, history, files, copy: copied } = await contents(repo)
  assert.equal(commits.length, 1, `${at}: one commit in the end`)
  assert.equal(history.length, 2, `${at}: over what is checked out`)
  assert.equal(repo.pushes, way === 'a branch, and then its copy' ? 2 : 1, `${at}: pushes`)
  assert.equal(copied, copies(way) ? history[0] : undefined, `${at}: the copy`)
  assert.equal(`${files}\n`, manifest('1.1.0').repeat(marked.length), at)
  assert.equal(forge.created, way === 'a pull request' ? 1 : 0, `${at}: pull requests that were made`)
  const { conditions, lastPushCommit } = (await next.automation())!.status!
  assert.deepEqual(
    conditions!.map(({ type, status }) => `${type}=${status}`),
    ['Ready=True'],
    at,
  )
  // The source that follows the branch is asked for, whenever it was that the first process died.
  const requestedBy = (await next.source())!.metadata.annotations?.['keelson.dev/requested-by']
  assert.equal(requestedBy, way === 'a branch' ? 'ImageUpdateAutomation default/auto' : undefined, at)
  // A push into the branch that is checked out leaves nothing to do for the next process, which does not know of it.
  if (way !== 'a branch') assert.equal(lastPushCommit, history[0], at)
  await next.close()
  return life.died
}

/** Tests that kill an automation at each of its steps. */
export const killedAtEachStep = (numbers: string, way: Way): void => {
  for (const when of ['before', 'after'] as const)
    test(`${numbers} killed ${when} each of its steps, with ${way}, an automation pushes once, all of it, and sources are asked for it`, async t => {
      const all = await repositories(way)
      let steps = 1
      while (await dieAndGoOn(all, steps, when, way)) steps++
      t.diagnostic(`${steps - 1} steps`)
      assert.ok(steps > 5, `only ${steps} steps: it has not run`)
    })
}
