import assert from 'node:assert/strict'
import { test } from 'node:test'
import { knownRemotes } from '../../../../lib/reconcile/kustomization/build/known-remotes.ts'

const target = (url: string) => ({ url, path: '', submodules: false, timeoutSeconds: 27 })

test('a second build fetches what the first has fetched, and nothing else', async () => {
  const fetched: string[] = []
  const note = <R>(what: string, result: R): R => {
    fetched.push(what)
    return result
  }
  const { first, second } = knownRemotes({
    remotes: {
      file: async url => note(url, Buffer.from('a')),
      repository: async ({ url }) => note(url, { read: () => undefined, list: () => undefined }),
    },
    helm: {
      pull: async ({ name }) => note(name, new Map()),
      template: async () => '',
    },
  })
  const chart = (name: string) => ({ name, repo: 'https://charts', devel: false, debug: false })
  await first.remotes!.file('https://known/file')
  await first.remotes!.repository(target('https://known/repository'))
  await first.helm!.pull(chart('known'))
  await second.remotes!.file('https://known/file')
  await second.remotes!.repository(target('https://known/repository'))
  await second.helm!.pull(chart('known'))
  const before = fetched.length
  await assert.rejects(second.remotes!.file('http://127.0.0.1/metadata'), /only fetched after the merge/)
  await assert.rejects(second.remotes!.repository(target('https://other')), /only fetched after the merge/)
  await assert.rejects(second.helm!.pull({ ...chart('known'), repo: 'https://other' }), /only fetched after the merge/)
  assert.equal(fetched.length, before)
})

test('a hub that fetches nothing fetches nothing for either', () => {
  assert.deepEqual(knownRemotes({}), { first: {}, second: {} })
})
