import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'
import { type Node, type Program, parseSync, Visitor } from 'oxc-parser'

const lib = join(import.meta.dirname, '../lib')

/** Where descriptions are. */
const folders = ['foundations/kinds', 'compose/settings'].map(folder => join(lib, folder))

/**
 * An esbuild plugin that empties the descriptions of settings, and those in the schemas and columns of kinds, for programs that serve no schemas and have no help texts. A description is
 * the first argument of a function whose first parameter has that name, or the property `description` of an object.
 */
export const undescribed: Plugin = {
  name: 'undescribed',
  setup: ({ onLoad }) => {
    const read = modules()
    onLoad({ filter: /[\\/]lib[\\/](foundations[\\/]kinds|compose[\\/]settings)[\\/].*\.ts$/ }, ({ path }) => ({
      contents: withoutDescriptions(read(path), read),
      loader: 'ts',
    }))
  },
}

interface Module {
  readonly path: string
  readonly code: string
  readonly program: Program
  /** Functions at its top level that take a description first. */
  readonly describers: ReadonlySet<string>
}

type Read = (path: string) => Module

/** Reads and parses each module once. */
const modules = (): Read => {
  const known = new Map<string, Module>()
  return path => {
    const module = known.get(path) ?? parsed(path)
    known.set(path, module)
    return module
  }
}

const parsed = (path: string): Module => {
  const code = readFileSync(path, 'utf8')
  const { program, errors } = parseSync(path, code)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`)
  const declared = program.body.flatMap(statement => {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    return declaration?.type === 'VariableDeclaration' ? declaration.declarations : []
  })
  const describers = declared.flatMap(({ id, init }) =>
    id.type === 'Identifier' && init?.type === 'ArrowFunctionExpression' && isDescription(init.params[0])
      ? [id.name]
      : [],
  )
  return { path, code, program, describers: new Set(describers) }
}

const isDescription = (node: Node | undefined): boolean => node?.type === 'Identifier' && node.name === 'description'

/** The code of a module, with `''` in place of its descriptions. */
const withoutDescriptions = (module: Module, read: Read): string => {
  const describers = new Set([...module.describers, ...importedDescribers(module, read)])
  const spans: { readonly start: number; readonly end: number }[] = []
  const drop = (node: Node | undefined) => {
    if (node && isText(node)) spans.push(node)
  }
  new Visitor({
    CallExpression: ({ callee, arguments: [first] }) => {
      if (callee.type === 'Identifier' && describers.has(callee.name)) drop(first)
    },
    Property: ({ key, value }) => {
      if (isDescription(key)) drop(value)
    },
  }).visit(module.program)
  return spans
    .toSorted((a, b) => b.start - a.start)
    .reduce((code, { start, end }) => `${code.slice(0, start)}''${code.slice(end)}`, module.code)
}

/** Names under which a module imports such functions of others. */
const importedDescribers = ({ path, program }: Module, read: Read): readonly string[] =>
  program.body.flatMap(statement => {
    if (statement.type !== 'ImportDeclaration' || !statement.source.value.startsWith('.')) return []
    const from = join(path, '..', statement.source.value)
    if (!folders.some(folder => from.startsWith(folder))) return []
    return statement.specifiers.flatMap(specifier =>
      specifier.type === 'ImportSpecifier' &&
      specifier.imported.type === 'Identifier' &&
      read(from).describers.has(specifier.imported.name)
        ? [specifier.local.name]
        : [],
    )
  })

/** Text in the code, or a constant with one; not a parameter that passes a description on. */
const isText = (node: Node): boolean =>
  (node.type === 'Literal' && typeof node.value === 'string') ||
  node.type === 'TemplateLiteral' ||
  node.type === 'BinaryExpression' ||
  (node.type === 'Identifier' && !isDescription(node))
