import { TypedMap, type Value } from '../template/values/value.ts'
import type { ChartMetadata } from './chart.ts'
import type { ChartNode, Requirement } from './chart-tree.ts'
import type { ImportPair } from './import-values.ts'

/** `.Chart` of templates: the fields of Chart.yaml under their Go names; a field that the file leaves out is empty. */
export const chartValue = (chart: ChartNode, isRoot: boolean): Value => {
  const { metadata } = chart
  const text = textOf(metadata)
  const maintainers = listOf(metadata.maintainers) as Readonly<Record<string, unknown>>[]
  return new Map<string, Value>([
    ['Name', clean(chart.name)],
    ['Home', text('home')],
    ['Sources', texts(metadata.sources)],
    ['Version', metadata.version],
    ['Description', text('description')],
    ['Keywords', texts(metadata.keywords)],
    ['Maintainers', maintainers.map(maintainerValue)],
    ['Icon', text('icon')],
    ['APIVersion', metadata.apiVersion],
    ['Condition', text('condition')],
    ['Tags', text('tags')],
    ['AppVersion', text('appVersion')],
    ['Deprecated', metadata.deprecated === true],
    ['Annotations', annotationsValue(metadata)],
    ['KubeVersion', text('kubeVersion')],
    ['Dependencies', (chart.requirements ?? []).map(requirementValue)],
    ['Type', text('type')],
    ['IsRoot', isRoot],
  ])
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const texts = (value: unknown): Value[] => listOf(value).map(item => clean(String(item)))
const textOf =
  (fields: Readonly<Record<string, unknown>>) =>
  (name: string): string =>
    clean(String(fields[name] ?? ''))

const maintainerValue = (maintainer: Readonly<Record<string, unknown>>): Value => {
  const text = textOf(maintainer)
  return new Map([
    ['Name', text('name')],
    ['Email', text('email')],
    ['URL', text('url')],
  ])
}

const annotationsValue = ({ annotations }: ChartMetadata): Value =>
  new TypedMap('string', Object.entries((annotations ?? {}) as Record<string, string>), !annotations)

const requirementValue = (requirement: Requirement): Value =>
  new Map<string, Value>([
    ['Name', clean(requirement.name)],
    ['Version', clean(requirement.version ?? '')],
    ['Repository', clean(requirement.repository)],
    ['Condition', clean(requirement.condition ?? '')],
    ['Tags', texts(requirement.tags)],
    ['Enabled', requirement.enabled],
    // Pairs, since they were imported.
    ['ImportValues', (listOf(requirement['import-values']) as ImportPair[]).map(importValue)],
    ['Alias', requirement.alias ?? ''],
  ])

const importValue = ({ child, parent }: ImportPair): Value =>
  new TypedMap('string', [
    ['child', child],
    ['parent', parent],
  ])

/** Any white space becomes a plain space; unprintable characters are dropped. */
const clean = (text: string): string =>
  PLAIN.test(text) ? text : text.replace(/\p{White_Space}/gu, ' ').replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')

/** Most texts; V8 takes milliseconds to compile the classes of Unicode. */
const PLAIN = /^[ -~]*$/
