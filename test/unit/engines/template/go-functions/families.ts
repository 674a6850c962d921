import { family as builtinSlice } from './builtin-slice.ts'
import { family as builtins } from './builtins.ts'
import { family as conversions } from './conversions.ts'
import { family as dates } from './dates.ts'
import { family as defaults } from './defaults.ts'
import { family as dicts } from './dicts.ts'
import { family as encoding } from './encoding.ts'
import type { Family } from './family.ts'
import { family as lists } from './lists.ts'
import { family as numbers } from './numbers.ts'
import { family as printf } from './printf.ts'
import { family as printfRare } from './printf-rare.ts'
import { family as regex } from './regex.ts'
import { family as slimSprig } from './slim-sprig.ts'
import { family as text } from './text.ts'
import { family as toml } from './toml.ts'
import { family as urlsAndPaths } from './urls-and-paths.ts'
import { family as valuesRare } from './values-rare.ts'
import { family as versions } from './versions.ts'
import { family as words } from './words.ts'

/** By the name of their file, and of that with what Go made of them: `lists.recorded.json`. */
export const families: Readonly<Record<string, Family>> = {
  builtins,
  'builtin-slice': builtinSlice,
  conversions,
  dates,
  defaults,
  dicts,
  encoding,
  lists,
  numbers,
  printf,
  'printf-rare': printfRare,
  regex,
  'slim-sprig': slimSprig,
  text,
  toml,
  'urls-and-paths': urlsAndPaths,
  'values-rare': valuesRare,
  versions,
  words,
}
