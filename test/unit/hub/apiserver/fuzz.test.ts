/** Whatever is sent, the answer is an answer: no crash, no 500, nothing polluted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Budget } from '../../../../lib/foundations/budget/budget.ts'
import { protobufType, readProtobuf } from '../../../../lib/hub/apiserver/wire/protobuf.ts'
import { ApiError } from '../../../../lib/hub/store/hub.ts'
import { parseLabelSelector } from '../../../../lib/hub/store/label-selector.ts'
import { configMap } from '../store/world.ts'
import { apiWorld, configMaps, kustomizations } from './world.ts'

const runs = { numRuns: 60 }

/** JSON with the names that hurt. */
const anyJson = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, -1, 1e21, '', 'x', 'a/b', '2026-01-01T00:00:00Z', '\ud800'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        '__proto__',
        'constructor',
        'metadata',
        'name',
        'labels',
        'spec',
        'data',
        'ownerReferences',
        'managedFields',
        'uid',
        'fieldsV1',
        'f:',
        '$patch',
        'finalizers',
        '',
      ),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
})).value

const status = async (attempt: Promise<{ readonly status: number }>) => (await attempt).status

test('responds to any body of any write', async () => {
  const { send, hub } = await apiWorld()
  await hub.create(configMap('a'), { fieldManager: 'me' })
  const types = [
    'application/merge-patch+json',
    'application/json-patch+json',
    'application/strategic-merge-patch+json',
    'application/apply-patch+yaml',
  ]
  await fc.assert(
    fc.asyncProperty(anyJson, fc.constantFrom(...types), fc.boolean(), async (value, type, isCustom) => {
      const body = JSON.stringify(value)
      const collection = isCustom ? kustomizations : configMaps
      const identified = JSON.stringify({ ...(value as object), apiVersion: 'v1', kind: 'ConfigMap' })
      const answers = [
        await status(send('POST', `${collection}?dryRun=All`, { body })),
        await status(send('PUT', `${configMaps}/a?dryRun=All`, { body })),
        await status(send('PATCH', `${configMaps}/a?dryRun=All&fieldManager=x`, { body, type })),
        await status(
          send('PATCH', `${configMaps}/a?dryRun=All&fieldManager=x`, {
            body: identified,
            type: 'application/apply-patch+yaml',
          }),
        ),
        await status(send('DELETE', `${configMaps}/a?dryRun=All`, { body })),
      ]
      assert.ok(
        answers.every(code => code < 600),
        String(answers),
      )
      assert.equal(({} as Record<string, unknown>).name, undefined)
    }),
    runs,
  )
})

test('responds to any path, query and header', async () => {
  const { send } = await apiWorld()
  const segment = fc.oneof(
    fc.constantFrom(
      'api',
      'apis',
      'v1',
      'namespaces',
      'default',
      'configmaps',
      'status',
      '..',
      '%2e%2e',
      '%',
      '%00',
      'watch',
      'openapi',
      'v3',
      'version',
    ),
    fc.string({ maxLength: 8 }).map(encodeURIComponent),
  )
  const query = fc.constantFrom(
    '',
    'watch=1&timeoutSeconds=-1',
    'limit=-1',
    'labelSelector=%00',
    'fieldSelector==',
    'continue=!',
    'resourceVersion=1e9',
    'timeoutSeconds=99999999999999',
  )
  const accept = fc.oneof(
    fc.constantFrom(
      '*/*',
      'constructor',
      'application/json;as=Table;g=meta.k8s.io;v=v1',
      ';;,;q=x',
      'a/b;q=0',
      protobufType,
    ),
    fc.string({ maxLength: 20 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(segment, { maxLength: 7 }), query, accept, async (segments, search, header) => {
      const accepted = header.replace(/[^\x20-\x7e]/g, '')
      const code = await status(
        send('GET', `/${segments.join('/')}?${search}`, {
          accept: accepted,
          headers: { 'impersonate-extra-%zz': 'x' },
        }).catch(() => ({ status: 599 })),
      )
      assert.ok(code < 500 || code === 504, `${code} for ${segments.join('/')}?${search} (${accepted})`)
    }),
    runs,
  )
})

test('refuses any protobuf and any selector that it does not understand, and nothing else happens', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.string({ maxLength: 30 }), (bytes, selector) => {
      const attempts = [
        () =>
          readProtobuf(
            Buffer.concat([Buffer.from('k8s\0\n\x0c\n\x02v1\x12\x06Secret\x12'), Buffer.from([bytes.length]), bytes]),
            new Budget({ nodes: 1_000 }),
          ),
        () => readProtobuf(bytes, new Budget({ nodes: 1_000 })),
        () => parseLabelSelector(selector)({}),
      ]
      for (const attempt of attempts)
        try {
          attempt()
        } catch (error) {
          assert.ok(error instanceof ApiError, String(error))
        }
    }),
    { numRuns: 2000 },
  )
})
