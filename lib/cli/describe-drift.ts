import { styleText } from 'node:util'
import { formatPatch, structuredPatch } from 'diff'
import { emitJson } from '../engines/yaml/emit-json.ts'
import type { JsonValue } from '../engines/yaml/json-value.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'

/** The changes of an object as a unified diff of its YAML, without server fields and Secret values. */
export const describeDrift = (
  live: KubernetesObject,
  wanted: KubernetesObject,
  { colourful }: { colourful: boolean },
): string => {
  const [before, after] = maskedValues(shown(live), shown(wanted))
  const patch = structuredPatch('live', 'wanted', textOf(before), textOf(after), undefined, undefined, { context: 3 })
  const lines = formatPatch(patch)
    .split('\n')
    .slice(3) // the names of the two sides, which say nothing here
    .filter(line => line !== '')
  return lines.map(line => `  ${colourful ? painted(line) : line}\n`).join('')
}

const painted = (line: string): string => {
  if (line.startsWith('+')) return styleText('green', line, { validateStream: false })
  if (line.startsWith('-')) return styleText('red', line, { validateStream: false })
  return line.startsWith('@@') ? styleText('cyan', line, { validateStream: false }) : line
}

const textOf = (object: KubernetesObject): string => emitJson(object as unknown as JsonValue)

const shown = ({ status, metadata, ...object }: KubernetesObject): KubernetesObject => {
  const { managedFields, resourceVersion, generation, creationTimestamp, uid, ...meta } = metadata
  return { ...object, metadata: meta } as KubernetesObject
}

/** Masks the values of a Secret, showing only whether they change, like kubectl diff. */
const maskedValues = (live: KubernetesObject, wanted: KubernetesObject): [KubernetesObject, KubernetesObject] => {
  if (live.kind !== 'Secret' || live.apiVersion !== 'v1') return [live, wanted]
  const before = dataOf(live)
  const after = dataOf(wanted)
  const mask = (data: Values, other: Values, changed: string): Values =>
    Object.fromEntries(
      Object.entries(data).map(([key, value]) => [
        key,
        key in other && other[key] !== value ? `*** (${changed})` : '***',
      ]),
    )
  return [
    { ...live, data: mask(before, after, 'before') } as KubernetesObject,
    { ...wanted, data: mask(after, before, 'after') } as KubernetesObject,
  ]
}

type Values = Readonly<Record<string, string>>

const dataOf = (secret: KubernetesObject): Values => ((secret as { data?: Values }).data ?? {}) as Values
