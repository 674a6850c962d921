import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestedAtAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import type { GitRepository } from '../../../../lib/foundations/kinds/git-repository.ts'
import { by, minute, object, openScene, requestRef, revision, sha, sourceRef } from './scene.ts'

test('the head is fetched as its source is, planned for its units, and told once; a new head edits the comment; its end takes all away', async () => {
  const scene = await openScene()
  try {
    await scene.unit('app')
    await scene.unit('same')
    await scene.unit('suspended', { suspend: true })
    await scene.unit('other', { sourceRef: { kind: 'GitRepository', name: 'another' } })
    await scene.pass()
    const { spec } = (await scene.head())!
    const source = (await scene.hub.get<GitRepository>(sourceRef))!
    assert.deepEqual(spec, { ...source.spec, interval: '24h', suspend: false, ref: { name: 'refs/pull/7/head' } })
    assert.deepEqual(scene.plans, [])

    await scene.fetched(revision('a'))
    assert.deepEqual(scene.plans.map(({ unit }) => unit).sort(), ['app', 'same'])
    assert.equal(scene.forge.comments.length, 1)
    assert.match(scene.forge.comments[0]!.text, /Plan of `aaaaaaaaaaaa` for `main`: 1 unit: ~1/)
    assert.deepEqual(
      scene.forge.statuses.map(({ commit, sent }) => [commit, sent.state]),
      [
        [sha('a'), 'pending'],
        [sha('a'), 'success'],
      ],
    )

    await scene.pass()
    await scene.world.advance(60 * minute)
    assert.equal(scene.plans.length, 2, 'nothing is new')

    await scene.pushed(sha('b'))
    await scene.fetched(revision('b'))
    assert.equal(scene.plans.length, 4)
    assert.equal(scene.forge.comments.length, 1)
    assert.match(scene.forge.comments[0]!.text, /Plan of `bbbbbbbbbbbb`/)

    await scene.close()
    assert.equal(await scene.head(), undefined)
    assert.equal(await scene.hub.get(requestRef), undefined)
    assert.ok(await scene.hub.get(sourceRef))
  } finally {
    await scene.world.close()
  }
})

test('a head that is not the reported one yet is fetched again, and planned as it is in the end', async () => {
  const scene = await openScene()
  try {
    await scene.unit('app')
    await scene.pass()
    const requests = new Set<string | undefined>()
    for (let i = 0; i < 8 && scene.plans.length === 0; i++) {
      requests.add((await scene.head())?.metadata.annotations?.[requestedAtAnnotation])
      await scene.fetched(revision('c'))
    }
    assert.equal(requests.size, 6)
    assert.deepEqual(scene.plans, [{ unit: 'app', revision: revision('c') }])
    assert.equal(scene.forge.statuses.at(-1)?.commit, sha('c'))
  } finally {
    await scene.world.close()
  }
})

test('a head that can not be fetched is told by its reason alone', async () => {
  const scene = await openScene()
  try {
    await scene.pass()
    await scene.fetched(undefined, 'the signature of internal.example.com is not trusted')
    assert.match(scene.forge.comments[0]!.text, /could not fetch the head: `GitOperationFailed`/)
    assert.doesNotMatch(scene.forge.comments[0]!.text, /internal/)
    assert.equal(scene.forge.statuses.at(-1)?.sent.state, 'failure')
  } finally {
    await scene.world.close()
  }
})

for (const [what, provider, message] of [
  ['of another repository', { address: 'https://git.example.com/mallory/app' }, /is not of the repository/],
  ['that can not comment', { type: 'slack' }, /has the type slack/],
] as const)
  test(`nothing is planned nor published through a Provider ${what}`, async () => {
    const scene = await openScene({ provider })
    try {
      await scene.unit('app')
      await scene.pass()
      await scene.fetched(revision('a'))
      assert.deepEqual([scene.plans, scene.forge.requests], [[], []])
      assert.match((await scene.ready()).join(), message)
    } finally {
      await scene.world.close()
    }
  })

test('what a forge refuses fails the pass, without the token', async () => {
  const scene = await openScene()
  try {
    await scene.unit('app')
    await scene.pass()
    scene.forge.refusals.push({ status: 403, json: { message: 'token secret may not' } })
    await scene.fetched(revision('a'))
    assert.match(
      scene.world.lines.map(line => JSON.stringify(line)).join('\n'),
      /request failed with status code 403: token \*\*\*\*\* may not/,
    )
    assert.deepEqual(scene.forge.statuses.at(-1)?.sent.state, 'success', 'it is tried again')
  } finally {
    await scene.world.close()
  }
})

test('a GitRepository with the name of the head that is not the hub’s is left alone', async () => {
  const scene = await openScene()
  try {
    await scene.hub.create(
      object('source.toolkit.fluxcd.io/v1', 'GitRepository', 'app-pr-7', {
        url: 'https://git.example.com/own',
        interval: '1h',
      }),
      by,
    )
    await scene.pass()
    assert.match(scene.forge.comments[0]!.text, /`NameConflict`/)
    await scene.close()
    assert.equal((await scene.head())?.spec.url, 'https://git.example.com/own')
  } finally {
    await scene.world.close()
  }
})
