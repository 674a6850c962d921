/** One import, export-from or dynamic import of a module. */
export interface Import {
  /** As it is written: `../kinds/object.ts`, `node:fs`, `undici`. */
  readonly from: string
  /** The line it starts at, from 1. */
  readonly line: number
}

// The formatter puts every import statement at the start of a line, and in single quotes. Between its keyword and `from`
// stand names, braces, commas and stars only: a line of prose that begins with "import" does not match.
const statement = /^(?:import|export)\s(?:[\w\s{},*$]*?\sfrom\s)?'([^'\n]+)'/gm
const dynamic = /(?<![\w.])import\(\s*'([^'\n]+)'/g

/** The imports of a formatted TypeScript source, in order; those whose module name is computed are not seen. */
export function importsOf(source: string): Import[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, comment => comment.replace(/[^\n]/g, ' '))
  return [...code.matchAll(statement), ...code.matchAll(dynamic)]
    .sort((a, b) => a.index - b.index)
    .map(match => ({
      from: match[1]!,
      line: code.slice(0, match.index).split('\n').length,
    }))
}
