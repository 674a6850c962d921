import type { YamlNode } from '../../yaml/node.ts'
import { applyFieldSpec, type FieldSpec } from '../field-spec.ts'
import { KustomizeError } from '../kustomize-error.ts'
import { lookupPath } from '../node-path.ts'
import { splitFieldPath } from '../replacements/split-field-path.ts'
import type { ResourceMap } from '../resource-map.ts'
import { goVar, type Var } from './var-set.ts'
import { type VarValue, varValue } from './var-value.ts'

/** Replaces `$(NAME)` with the values of vars, in the fields that may contain them. */
export const resolveVars = (
  map: ResourceMap,
  vars: readonly Var[],
  specs: readonly FieldSpec[],
  warn: (warning: string) => void,
): void => {
  if (vars.length === 0) return
  const values = new Map(vars.map(known => [known.name, valueFrom(map, known)]))
  const used = new Set<string>()
  const expand = (node: YamlNode): void => expandNode(node, values, used)
  for (const resource of map.list)
    for (const spec of specs) applyFieldSpec(resource, spec, node => expandIn(node, expand))
  const unused = vars.map(known => known.name).filter(name => !used.has(name))
  if (unused.length > 0) warn(`well-defined vars that were never replaced: ${unused.join(',')}`)
}

const valueFrom = (map: ResourceMap, known: Var): VarValue | undefined => {
  const resource = map.list.find(({ varNames }) => varNames.includes(known.name))
  if (!resource)
    throw new KustomizeError(`var '${goVar(known)}' cannot be mapped to a field in the set of known resources`, {
      field: 'vars',
    })
  const node = fieldAt(resource.node!, known.fieldPath)
  const value = node?.kind === 'scalar' ? varValue(node) : undefined
  if (!node || (node.kind === 'scalar' && !value))
    throw new KustomizeError(`field specified in var '${goVar(known)}' not found in corresponding resource`, {
      file: resource.origin.file,
      field: known.fieldPath,
    })
  return value
}

const fieldAt = (root: YamlNode, fieldPath: string): YamlNode | undefined => {
  try {
    return lookupPath(root, splitFieldPath(fieldPath).flatMap(withIndex))
  } catch {
    return undefined
  }
}

/** `containers[0]` is two steps. */
const withIndex = (part: string): string[] => {
  const match = /^([^\n]*)\[(\d+)\]$/.exec(part)
  return match ? [match[1]!, match[2]!] : [part]
}

const expandIn = (node: YamlNode, expand: (node: YamlNode) => void): void => {
  if (node.kind === 'scalar') {
    if (isText(node)) expand(node)
  } else if (node.kind === 'map') {
    for (let i = 0; i < node.content.length; i += 2) {
      const key = node.content[i]!
      if (!isText(key)) throw new KustomizeError(`invalid map key: value='${key.value}', tag='${key.tag}'`)
      if (isText(node.content[i + 1]!)) expand(node.content[i + 1]!)
    }
  } else {
    for (const item of node.content) {
      if (!isText(item)) throw new KustomizeError('invalid value type expect a string')
      expand(item)
    }
  }
}

const isText = (node: YamlNode): boolean => node.kind === 'scalar' && (node.tag === '!!str' || node.tag === '')

const expandNode = (node: YamlNode, values: ReadonlyMap<string, VarValue | undefined>, used: Set<string>): void => {
  const { value: input } = node
  let out = ''
  for (let i = 0; ; ) {
    const dollar = input.indexOf('$', i)
    if (dollar < 0 || dollar + 1 >= input.length) {
      out += input.slice(i)
      break
    }
    out += input.slice(i, dollar)
    const next = input[dollar + 1]!
    const end = next === '(' ? input.indexOf(')', dollar + 2) : -1
    if (end < 0) {
      // `$$` is an escaped dollar sign; anything else stays.
      out += next === '$' ? '$' : `$${next}`
      i = dollar + 2
      continue
    }
    const name = input.slice(dollar + 2, end)
    const found = values.get(name)
    used.add(name)
    if (found && input === `$(${name})`) {
      replaceBy(node, found.tag, found.whole)
      return
    }
    out += found ? found.text : `$(${name})`
    i = end + 1
  }
  replaceBy(node, '!!str', out)
}

const replaceBy = (node: YamlNode, tag: string, text: string): void => {
  node.value = text
  node.tag = tag
  node.style = ''
}
