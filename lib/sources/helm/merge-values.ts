import { emitJson } from '../../engines/yaml/emit-json.ts'
import { isObject, type JsonObject, setKey } from '../../engines/yaml/json-value.ts'
import { type Chart, chartValues } from './chart.ts'
import { InvalidChart } from './invalid-chart.ts'

/** Merges values: mappings recursively, everything else is replaced. */
export const mergeValues = (below: JsonObject, above: JsonObject): JsonObject => {
  const merged: JsonObject = { ...below }
  for (const [key, value] of Object.entries(above)) {
    const present = Object.hasOwn(merged, key) ? merged[key] : undefined
    setKey(merged, key, isObject(value) && isObject(present) ? mergeValues(present, value) : value)
  }
  return merged
}

/** Replaces the chart's default values; `changed` is whether they differ. Fails with InvalidChart if it had none. */
export const replaceValues = (
  chart: Chart,
  values: JsonObject,
): { readonly chart: Chart; readonly changed: boolean } => {
  if (!chart.values) throw new InvalidChart('failed to locate values file: values.yaml')
  const content = Buffer.from(Object.keys(values).length > 0 ? emitJson(values) : '')
  if (content.equals(chart.values.file)) return { chart, changed: false }
  return { chart: { ...chart, values: chartValues(content) }, changed: true }
}
