import { splitPath } from '../field-spec.ts'

/** Splits a field path at dots, except inside `[name=a.b]` and after a backslash. */
export const splitFieldPath = (path: string): string[] => {
  const parts = splitPath(path, '.')
  const out: string[] = []
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    if (!part.startsWith('[') || part.endsWith(']')) {
      out.push(part)
      continue
    }
    const bracketed = [part]
    while (i < parts.length - 1) {
      bracketed.push(parts[++i]!)
      if (parts[i]!.endsWith(']')) break
    }
    const text = bracketed.join('.')
    out.push(text.includes('=') ? text : text.replace(/^[[\]]+|[[\]]+$/g, ''))
  }
  return out
}
