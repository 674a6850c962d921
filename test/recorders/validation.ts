/**
 * Records what a kube-apiserver with Flux's CRDs answers to `validation-cases.ts`:
 * `KUBECONFIG=... node test/recorders/validation.ts`, with the CRDs of the conformance data applied.
 */
import { writeFileSync } from 'node:fs'
import { builtInKinds } from '../../lib/foundations/kinds/all.ts'
import { cases, type ValidationCase, writtenObject } from '../unit/foundations/kinds/validation-cases.ts'
import { kubeApiserver } from './kube-apiserver.ts'

const ask = kubeApiserver()

const collectionOf = ({ kind }: ValidationCase): string => {
  const [apiVersion = '', name] = kind.split(' ')
  const { plural, namespaced } = builtInKinds.find(known => known.kind === name)!
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  return `${root}${namespaced ? '/namespaces/default' : ''}/${plural}`
}

const record = async (one: ValidationCase) => {
  const collection = collectionOf(one)
  const query = `?dryRun=All${one.fieldValidation ? `&fieldValidation=${one.fieldValidation}` : ''}`
  if (!one.from) return ask('POST', collection + query, writtenObject(one))
  const created = await ask('POST', collection, writtenObject({ ...one, change: one.from }))
  if (created.code !== 201) throw new Error(`${one.title}: ${created.body.message}`)
  const path = `${collection}/${created.body.metadata.name}`
  const answer = await ask(
    'PUT',
    `${path}${one.subresource ? `/${one.subresource}` : ''}${query}`,
    writtenObject(one, created.body),
  )
  await ask('DELETE', path)
  return answer
}

const recorded: Record<string, unknown> = {}
for (const one of cases) {
  const { code, body, warnings } = await record(one)
  recorded[one.title] = {
    code,
    ...(warnings.length > 0 && { warnings }),
    ...(code < 400 ? { object: stable(body) } : { message: body.message ?? body, causes: body.details?.causes }),
  }
}
writeFileSync(
  new URL('../unit/foundations/kinds/validation.recorded.json', import.meta.url),
  `${JSON.stringify(recorded, null, 1)}\n`,
)
await ask.close()

/** Without what differs from one recording to the next. */
function stable(body: Record<string, Record<string, unknown>>) {
  const { uid, resourceVersion, creationTimestamp, managedFields, ...metadata } = body.metadata!
  return { ...body, metadata }
}
