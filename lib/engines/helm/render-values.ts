import { quote } from '../../foundations/go/quote.ts'
import { writeYaml } from '../template/functions/encoding.ts'
import { MapView } from '../template/values/map-view.ts'
import { int, NamedMap, TemplateFunction, type Value, type ValueMap } from '../template/values/value.ts'
import { type Capabilities, capabilitiesValue } from './capabilities.ts'
import type { ChartFile } from './chart.ts'
import { filesValue } from './chart-files.ts'
import { chartValue } from './chart-metadata-value.ts'
import type { ChartNode } from './chart-tree.ts'
import { isTable } from './read-yaml.ts'
import { tableAt, valueAt } from './value-path.ts'

/** The release that a chart is rendered for. */
export interface Release {
  readonly name: string
  readonly namespace: string
  /** 1 for the first. */
  readonly revision: number
  readonly isUpgrade: boolean
}

/** A template and its dot. */
export interface ScopedTemplate {
  readonly data: Uint8Array
  /** Shared by the templates of a chart, so changes made by `set` are seen by all. */
  readonly scope: ValueMap
  /** `.Template.BasePath`. */
  readonly basePath: string
}

/** The templates of a chart and its subcharts by path, starting at the root chart, each with its own chart's values. */
export const scopeTemplates = (
  chart: ChartNode,
  values: ValueMap,
  release: Release,
  capabilities: Capabilities,
): ReadonlyMap<string, ScopedTemplate> => {
  const shared: Shared = { release: releaseValue(release), capabilities: capabilitiesValue(capabilities) }
  const templates = new Map<string, ScopedTemplate>()
  addTemplates(templates, shared, chart, chart.name, values, true)
  return templates
}

/** `.Values` has its own type, which some sprig functions refuse: charts pass `.Values.AsMap` to those. */
const valuesValue = (values: ValueMap): Value => {
  const at = (find: (values: ValueMap, path: string) => Value, missing: (path: string) => string) =>
    new TemplateFunction(['string'], (path: string) => {
      const found = find(values, path)
      if (found === undefined) throw new Error(missing(path.slice(path.lastIndexOf('.') + 1)))
      return found
    })
  return new MapView(
    'common.Values',
    values,
    new Map([
      ['AsMap', new TemplateFunction([], () => values)],
      ['YAML', new TemplateFunction([], () => writeYaml(values))],
      ['Table', at(tableAt, key => `${quote(key)} is not a table`)],
      ['PathValue', at(valueAt, key => `${quote(key)} is not a value`)],
    ]),
  )
}

interface Shared {
  readonly release: Value
  readonly capabilities: Value
}

const releaseValue = ({ name, namespace, revision, isUpgrade }: Release): Value =>
  new Map<string, Value>([
    ['Name', name],
    ['Namespace', namespace],
    ['IsUpgrade', isUpgrade],
    ['IsInstall', !isUpgrade],
    ['Revision', int(revision)],
    ['Service', 'Helm'],
  ])

const addTemplates = (
  templates: Map<string, ScopedTemplate>,
  shared: Shared,
  chart: ChartNode,
  path: string,
  values: ValueMap,
  isRoot: boolean,
): ValueMap => {
  const subcharts: ValueMap = new Map()
  const scope: ValueMap = new NamedMap('common.Values', [
    ['Chart', chartValue(chart, isRoot)],
    ['Files', filesValue(chart.files)],
    ['Release', shared.release],
    ['Capabilities', shared.capabilities],
    ['Values', valuesValue(values)],
    ['Subcharts', subcharts],
  ])
  for (const subchart of chart.dependencies) {
    const own = values.get(subchart.name)
    const given = isTable(own) ? own : new Map<string, Value>()
    subcharts.set(
      subchart.name,
      addTemplates(templates, shared, subchart, `${path}/charts/${subchart.name}`, given, false),
    )
  }
  for (const { name, data } of chart.templates.filter(template => isRendered(chart, template))) {
    templates.set(joinPath(path, name), {
      data,
      scope,
      basePath: `${path}/templates`,
    })
  }
  return scope
}

/** Only partials of library charts are rendered. */
const isRendered = ({ metadata }: ChartNode, { name }: ChartFile): boolean =>
  metadata.type !== 'library' || isPartial(name)

export const isPartial = (path: string): boolean => path.slice(path.lastIndexOf('/') + 1).startsWith('_')

const joinPath = (folder: string, name: string): string => `${folder}/${name}`
