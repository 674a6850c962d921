/** Turns in the life of managedFields, with the answers of a real kube-apiserver (`test/recorders/ownership.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { NotApplicable } from '../../../../lib/engines/merge/applicable.ts'
import { ApplyConflict } from '../../../../lib/engines/merge/conflict.ts'
import { configMap } from '../../../../lib/foundations/kinds/config-map.ts'
import type { Kind } from '../../../../lib/foundations/kinds/kind.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { type Request, scripts } from './ownership-scripts.ts'
import { thing } from './thing.ts'
import { stable, type Write, world } from './world.ts'

interface Answer {
  readonly code: number
  readonly object?: ReturnType<typeof stable>
  readonly message?: string
}

const recorded: Readonly<Record<string, readonly Answer[]>> = JSON.parse(
  readFileSync(new URL('ownership.recorded.json', import.meta.url), 'utf8'),
)

const elsewhere = new Set([
  'refuses to apply managedFields', // the hub does, before anything else
  'refuses to apply an item without its key', // Kubernetes leaves it to validation; here apply itself does
  'refuses to apply several things that are not in the schema', // Kubernetes names one of them, here all are
])

for (const [title, requests] of Object.entries(scripts))
  if (!elsewhere.has(title))
    test(title, () => {
      const kind = (requests[0]!.kind === 'Thing' ? thing : configMap) as Kind
      const { write, live } = world(kind)
      for (const [index, request] of requests.entries()) {
        const { code, object, message } = recorded[title]![index]!
        const answer = write(asWrite(request, live()))
        assert.equal(answer.code, code, message)
        if (object) assert.deepEqual(stable(answer.object!), object, `request ${index}`)
        if (answer.error instanceof ApplyConflict) assert.equal(answer.error.message, message)
        if (answer.error instanceof NotApplicable)
          assert.ok(message?.includes(`: ${withoutValue(answer.error.message)}`), answer.error.message)
      }
    })

/** Kubernetes shows the value that doesn't fit; here only its type is told, as it may be secret. */
const withoutValue = (message: string): string => message.replace(/, got \w+$/, ', got &')

test('names everything that is not in the schema', () => {
  const { write } = world(thing)
  const [request] = scripts['refuses to apply several things that are not in the schema']!
  assert.equal(
    write(asWrite(request!, undefined)).error?.message,
    'errors:\n  .spec.foo: field not declared in schema\n  .spec.bar: field not declared in schema',
  )
})

test('reports an item of a list that has no key', () => {
  const { write } = world(thing)
  const [request] = scripts['refuses to apply an item without its key']!
  const { apiVersion, ...rest } = asWrite(request!, undefined).sent
  const unnamed = { ...rest, apiVersion, spec: { items: [{ value: 'x' }] } } as KubernetesObject
  assert.equal(write({ how: 'apply', manager: 'one', sent: unnamed }).code, 201, 'the default of a key identifies it')
})

const asWrite = (
  { do: action, manager, force = false, kind, body }: Request,
  live: KubernetesObject | undefined,
): Write => {
  const identity = { apiVersion: kind === 'Thing' ? 'test.keelson.dev/v1' : 'v1', kind }
  const metadata = { name: 'script', namespace: 'default', ...(body.metadata as object) }
  const sent: KubernetesObject = { ...identity, ...body, metadata }
  switch (action) {
    case 'create':
      return { how: 'put', manager, sent }
    case 'put':
      return {
        how: 'put',
        manager,
        sent: { ...live!, ...body, metadata: { ...live!.metadata, ...(body.metadata as object) } },
      }
    case 'merge':
      return { how: 'merge', manager, sent: { ...identity, ...body } as KubernetesObject }
    case 'apply':
      return { how: 'apply', manager, force, sent }
    case 'apply status':
      return { how: 'apply', manager, force, sent, subresource: 'status' }
  }
}
