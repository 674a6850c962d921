import { compareBytes } from '../../foundations/go/compare-text.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { Limits } from '../template/evaluate/run.ts'
import { newTemplateGroup } from '../template/template.ts'
import { textOf } from '../template/values/text.ts'
import { type FunctionMap, NamedMap, type Value } from '../template/values/value.ts'
import type { RenderCache } from './render-cache.ts'
import { executionError, parseError } from './render-errors.ts'
import { isPartial, type ScopedTemplate } from './render-values.ts'

export interface TemplateSettings {
  readonly functions: FunctionMap
  /** A cache for rendering the same charts again, with the same functions. */
  readonly cache?: RenderCache | undefined
  /** Limits for each template's run. */
  readonly limits?: Partial<Limits>
  readonly calls?: ReadonlyMap<string, (...args: Value[]) => Value>
}

/**
 * Renders all templates except partials, and returns the output by path. Parses all of them first, deepest paths first, so that a
 * parent's definitions override its subcharts'. Throws RenderError.
 */
export const renderTemplates = (
  templates: ReadonlyMap<string, ScopedTemplate>,
  { functions, cache, ...run }: TemplateSettings,
): Map<string, string> => {
  const group = newTemplateGroup('gotpl', { functions, missingKey: 'zero', ...(cache && { cache: cache.templates }) })
  const paths = deepestFirst([...templates.keys()])
  for (const path of paths) {
    try {
      const { data } = templates.get(path)!
      group.add(path, cache ? cache.textOf(data) : textOf(data))
    } catch (error) {
      throw parseError(path, errorMessage(error), error)
    }
  }
  const rendered = new Map<string, string>()
  for (const path of paths) {
    if (isPartial(path)) continue
    const { scope, basePath } = templates.get(path)!
    scope.set(
      'Template',
      new NamedMap('common.Values', [
        ['Name', path],
        ['BasePath', basePath],
      ]),
    )
    try {
      rendered.set(path, group.executeTemplate(path, scope, run).replaceAll('<no value>', ''))
    } catch (error) {
      throw executionError(error)
    }
  }
  return rendered
}

const deepestFirst = (paths: readonly string[]): string[] => {
  const depths = new Map(paths.map(path => [path, path.split('/').length]))
  return paths.toSorted((a, b) => depths.get(b)! - depths.get(a)! || compareBytes(b, a))
}
