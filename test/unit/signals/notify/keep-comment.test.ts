import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connections } from '../../../../lib/platform/http/connections.ts'
import { withHttp } from '../../../../lib/signals/notify/http.ts'
import type { ProviderAccess } from '../../../../lib/signals/notify/provider-access.ts'
import { commentFormOf, type KeptComment, keepComment } from '../../../../lib/signals/notify/senders/keep-comment.ts'
import { setCommitStatus } from '../../../../lib/signals/notify/senders/set-commit-status.ts'
import { forgeDialects, forgeServer, forgeTypes } from '../../../bed/forge.ts'

const network = connections({ forbids: () => undefined })

const scene = async (type: (typeof forgeTypes)[number]) => {
  const forge = await forgeServer(type)
  const access: ProviderAccess = {
    ...{ type, namespace: 'default', name: 'forge', uid: '1', channel: '', headers: {}, secret: new Map() },
    address: `${forge.origin}/${forgeDialects[type].path}`,
    ...{ username: 'bot', password: type === 'bitbucketserver' ? 'secret' : '' },
    token: type === 'bitbucketserver' ? '' : type === 'bitbucket' ? 'bot:secret' : 'secret',
    ...{ connection: {}, timeoutMs: 5_000 },
  }
  const keep = (comment: Omit<KeptComment, 'number' | 'marker'>) =>
    withHttp(network, access, http => keepComment(type, { number: '7', marker: 'MARK', ...comment }, access, http))
  return { forge, access, keep }
}

for (const type of forgeTypes) {
  test(`${type}: one comment is written, then edited by its id, by its marker, and written again once it is deleted`, async () => {
    const { forge, keep } = await scene(type)
    forge.comments.push({ id: 1, pull: '7', author: 'mallory', text: 'MARK of somebody else', version: 0 })
    const id = await keep({ text: 'MARK first' })
    assert.equal(await keep({ text: 'MARK second', id }), id)
    assert.equal(await keep({ text: 'MARK third' }), id, 'found by its marker and author')
    assert.deepEqual(
      forge.comments.map(({ text, author }) => [author, text]),
      [
        ['mallory', 'MARK of somebody else'],
        ['bot', 'MARK third'],
      ],
    )
    assert.equal(forge.comments.filter(({ pull }) => pull === '7').length, 2)
    forge.comments.splice(1)
    const again = await keep({ text: 'MARK fourth', id })
    assert.equal(forge.comments.at(-1)!.text, 'MARK fourth')
    assert.equal(await keep({ text: 'MARK fifth', id: again }), again)
  })

  test(`${type}: the status of a commit has its state, description and context`, async () => {
    const { forge, access } = await scene(type)
    const commit = 'a'.repeat(40)
    const status = { commit, context: 'keelson/a/b', name: 'keelson/a/b', genre: 'keelson' } as const
    for (const state of ['pending', 'success', 'failure'] as const)
      await withHttp(network, access, http =>
        setCommitStatus[type]({ ...status, state, description: '+1' }, access, http),
      )
    assert.deepEqual(
      forge.statuses.map(({ commit, sent }) => [commit, sent.state]),
      [states[type]?.[0] ?? 'pending', states[type]?.[1] ?? 'success', states[type]?.[2] ?? 'failure'].map(state => [
        commit,
        state,
      ]),
    )
    assert.match(JSON.stringify(forge.statuses[0]!.sent), /\+1/)
  })
}

const states: Readonly<Partial<Record<string, readonly string[]>>> = {
  gitlab: ['pending', 'success', 'failed'],
  bitbucket: ['INPROGRESS', 'SUCCESSFUL', 'FAILED'],
  bitbucketserver: ['INPROGRESS', 'SUCCESSFUL', 'FAILED'],
  azuredevops: ['pending', 'succeeded', 'error'],
}

test('comments have room in each forge', () => {
  // https://docs.gitlab.com, GitHub: 65536 characters; Bitbucket: 32768; Azure DevOps: 150000.
  for (const type of forgeTypes)
    assert.ok(commentFormOf(type).maxLength < (type.startsWith('bitbucket') ? 32_768 : 65_536))
})
