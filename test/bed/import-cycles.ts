import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { importsOf } from './imports-of.ts'

/** Cycles of a graph, each once, from where a depth-first walk closes it. */
export const cyclesOf = (graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] => {
  const cycles: string[][] = []
  const done = new Set<string>()
  const visit = (node: string, path: readonly string[]) => {
    const start = path.indexOf(node)
    if (start >= 0) cycles.push([...path.slice(start), node])
    else if (!done.has(node)) for (const next of graph.get(node) ?? []) visit(next, [...path, node])
    done.add(node)
  }
  for (const node of graph.keys()) visit(node, [])
  return cycles
}

/** The relative imports of each source file below a folder, those of types included. */
const importGraph = (root: string): ReadonlyMap<string, readonly string[]> => {
  const files = globSync('{lib,functions,infra,events}/**/*.ts', { cwd: root })
  const importsIn = (file: string) =>
    importsOf(readFileSync(join(root, file), 'utf8')).flatMap(({ from }) =>
      from.startsWith('.') ? [normalize(join(dirname(file), from))] : [],
    )
  return new Map(files.map(file => [file, importsIn(file)]))
}

if (import.meta.main) {
  const cycles = cyclesOf(importGraph(process.argv[2] ?? '.'))
  console.log(`${cycles.length} cycles, ${new Set(cycles.flat()).size} files in them`)
}
