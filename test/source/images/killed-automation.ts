import assert from 'node:assert/strict'
import { test } from 'node:test'
import { git } from '../../bed/git.ts'
import { gitRepo } from '../../bed/git-repo.ts'
import { Life } from '../../bed/life.ts'
import { automationProcess, type Forge, type Way } from './automation-process.ts'
import { manifest } from './automation-world.ts'

const auth = { username: 'bot', password: 'secret' }

/** A process that dies at its k-th step, and another one that goes on; false if it has fewer steps. */
export const dieAndGoOn = async (steps: number, when: 'before' | 'after', way: Way): Promise<boolean> => {
  const repo = await gitRepo({ 'app.yaml': manifest('1.0.0'), 'b/app.yaml': manifest('1.0.0') })
  await repo.git('config', 'receive.fsckObjects', 'true')
  await repo.git('tag', 'v1', 'main')
  const isReplaced = way === 'a replaced branch' || way === 'a branch over a tag'
  if (isReplaced) await repo.push({ 'other.yaml': 'of: others' }, { branch: 'auto' })
  const url = new URL(repo.url)
  Object.assign(url, auth) // the forge wants a token
  const forge: Forge = { open: [], created: 0 }
  const bed = { repo: { ...repo, url: url.href }, forge, way }
  const proposes = way === 'a pull request'
  const branch = way === 'a branch' ? 'main' : 'auto'
  const life = new Life()
  const first = await automationProcess(bed, life)
  await first.begin('1.1.0')
  life.arm(steps, when)
  await first.live(5)
  const at = `${when} step ${steps}, ${life.lastStep}, with ${way}`
  await first.close({ keeps: true })

  const commits = async () =>
    (await repo.git('log', '--all', '--format=%s', '--grep=Update from')).split('\n').filter(Boolean).length
  assert.ok((await commits()) <= 1, `${at}: at most one commit when it dies`)
  await git(['fsck', '--strict', '--full', '--no-dangling'], { cwd: repo.dir })
  for (const ref of (await repo.git('for-each-ref', '--format=%(refname)')).split('\n'))
    assert.match(ref, /^refs\/(heads\/(main|auto)|tags\/v1)$/)

  const next = await automationProcess(bed, new Life(), first)
  await next.live(30)
  assert.equal(await commits(), 1, `${at}: one commit in the end`)
  assert.equal(await repo.git('rev-list', '--count', branch), '2', `${at}: over what is checked out`)
  assert.equal(repo.operations().filter(operation => operation === 'push').length, 1, `${at}: pushes`)
  for (const file of ['app.yaml', 'b/app.yaml'])
    assert.equal(`${await repo.git('show', `${branch}:${file}`)}\n`, manifest('1.1.0'), at)
  assert.equal(forge.created, proposes ? 1 : 0, `${at}: pull requests that were made`)
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
  if (way !== 'a branch') assert.equal(lastPushCommit, await repo.git('rev-parse', branch), at)
  await git(['fsck', '--strict', '--full', '--no-dangling'], { cwd: repo.dir })
  await next.close()
  return life.died
}

/** Tests that kill an automation at each of its steps. */
export const killedAtEachStep = (numbers: string, way: Way): void => {
  for (const when of ['before', 'after'] as const)
    test(`${numbers} killed ${when} each of its steps, with ${way}, an automation pushes once, all of it, and sources are asked for it`, async t => {
      let steps = 1
      while (await dieAndGoOn(steps, when, way)) steps++
      t.diagnostic(`${steps - 1} steps`)
      assert.ok(steps > 5, `only ${steps} steps: it has not run`)
    })
}
