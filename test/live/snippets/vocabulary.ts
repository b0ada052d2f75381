import type { Kind } from "./snippet-context.ts";

/**
 * What a dialect's templates can call, by the kind of value that it is for. `$` stands for an argument, `$text` and so on for one of
 * that kind.
 */
export interface Vocabulary {
  readonly filters: Readonly<Record<Kind, readonly string[]>>;
  readonly methods: Readonly<Record<"text" | "list" | "dict", readonly string[]>>;
  readonly tests: { readonly plain: readonly string[]; readonly withArgument: readonly string[] };
  readonly loopMembers: readonly string[];
}

function words(lines: string): readonly string[] {
  return lines
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** jinja2 3.1.6 as transformers sets it up; methods of Python's str, list and dict. */
export const huggingfaceVocabulary: Vocabulary = {
  filters: {
    text: words(`
      upper
      lower
      title
      capitalize
      trim
      trim($text)
      length
      count
      list
      first
      last
      reverse
      replace('l', 'L')
      replace('l', '_', 1)
      replace($text, $text)
      indent
      indent(2, true)
      indent('> ', first=true)
      indent(width=3, blank=true)
      center(20)
      center(5)
      truncate(5)
      truncate(9, true)
      truncate(8, false, '..', 0)
      truncate(4, leeway=0)
      wordcount
      wordwrap(5)
      wordwrap(7, false)
      wordwrap(10, wrapstring='|')
      wordwrap(3, break_on_hyphens=false)
      striptags
      urlencode
      urlize
      int
      int(7)
      int(base=16)
      float
      float(1.5)
      string
      safe
      e
      escape
      forceescape
      tojson
      tojson(ensure_ascii=true)
      format(1)
      format('x', 2)
      join('-')
      sort
      unique|list
      default('x')
      d('x', true)
      default($, boolean=true)
      pprint
      batch(3)|list
      slice(2)|list
      map('upper')|join
      select('in', 'abc')|list
      attr('upper')
      filesizeformat
      xmlattr
      items|list
    `),
    number: words(`
      abs
      round
      round(1)
      round(2, 'floor')
      round(method='ceil')
      round(-1)
      int
      float
      string
      tojson
      filesizeformat
      filesizeformat(true)
      default(1)
      length
      list
      pprint
      format
      urlencode
      center(9)
      upper
    `),
    list: words(`
      length
      count
      first
      last
      list
      reverse|list
      join
      join(', ')
      join('-', attribute='a')
      join($text)
      sort
      sort(reverse=true)
      sort(case_sensitive=true)
      sort(attribute='a')
      sort(attribute='b,a')
      unique|list
      unique(true)|list
      unique(attribute='a')|list
      min
      max
      min(attribute='a')
      max(case_sensitive=true)
      sum
      sum(attribute='a')
      sum(start=1)
      sum('a', 10)
      map('upper')|list
      map(attribute='a')|list
      map(attribute='n.c', default=0)|list
      map('int')|list
      map('default', 'q')|list
      map('replace', 'a', 'z')|list
      map('tojson')|join(';')
      select|list
      select('string')|list
      select('number')|list
      select('divisibleby', 2)|list
      select('in', [1, 'a'])|list
      select('>', 1)|list
      reject('none')|list
      reject|list
      selectattr('a')|list
      selectattr('a', 'defined')|list
      selectattr('b', 'equalto', 'x')|list
      selectattr('role', 'in', ['user', 'tool'])|list
      rejectattr('a')|list
      rejectattr('a', 'gt', 1)|list
      groupby('a')
      groupby('a')|list|length
      groupby('role')|map('first')|list
      groupby('b', default='none')
      groupby('b', case_sensitive=true)
      batch(2)|list
      batch(2, 'z')|list
      batch(linecount=3, fill_with=0)|list
      slice(2)|list
      slice(3, 'f')|list
      tojson
      tojson(indent=2)
      tojson(sort_keys=true)
      tojson(separators=(',', ':'))
      string
      pprint
      default('x')
      d([], true)
      dictsort
      upper
      items|list
      xmlattr
      urlencode
    `),
    dict: words(`
      length
      list
      items|list
      dictsort
      dictsort(true)
      dictsort(by='value')
      dictsort(false, 'key', true)
      first
      join(',')
      tojson
      tojson(indent=1)
      tojson(indent=4, sort_keys=true)
      string
      pprint
      map('upper')|list
      select|list
      sort
      unique|list
      min
      max
      reverse|list
      attr('items')
      default(1)
      urlencode
      xmlattr
      xmlattr(false)
      sum
      batch(1)|list
    `),
    other: words(`
      default('x')
      default('x', true)
      d($, true)
      string
      int
      float
      length
      list
      tojson
      upper
      join
      first
      trim
      abs
      round
      sort
      items|list
      safe
      e
      pprint
      wordcount
      bool
      nosuchfilter
    `),
  },
  methods: {
    text: words(`
      strip()
      strip('H d')
      strip($text)
      lstrip()
      rstrip('\\n')
      split()
      split(',')
      split(' ', 1)
      split(none, 1)
      split(sep=';', maxsplit=-1)
      rsplit(' ', 1)
      rsplit(maxsplit=1)
      splitlines()
      splitlines(true)
      startswith('H')
      startswith(('H', 'a'))
      startswith('e', 1)
      startswith('lo', 3, 5)
      endswith('d')
      endswith(('x', 'd'), 0, -1)
      replace('l', '')
      replace('l', '_', 1)
      replace('', '-')
      replace('', '.', 2)
      upper()
      lower()
      title()
      capitalize()
      swapcase()
      casefold()
      join(ls)
      join($list)
      format(1, x='y')
      format($, $)
      format_map({'x': 2})
      find('o')
      find('l', 3)
      find('l', 0, -8)
      rfind('o')
      rfind('l', 0, 4)
      index('l')
      rindex('l')
      count('l')
      count('')
      count('l', 3)
      partition(' ')
      rpartition('o')
      removeprefix('He')
      removesuffix('ld')
      ljust(13, '.')
      rjust(13)
      center(15, '*')
      center(14)
      zfill(8)
      expandtabs(4)
      isdigit()
      isalpha()
      isalnum()
      isspace()
      isupper()
      islower()
      istitle()
      isascii()
      isnumeric()
      isdecimal()
      isidentifier()
      isprintable()
      encode()
      translate({72: 'J', 101: none})
      length
      nosuch()
      upper
      __class__
      __len__()
    `),
    list: words(`
      count(1)
      count($)
      index(1)
      index('a', 1)
      copy()
      append(1)
      pop()
      insert(0, 1)
      remove(1)
      extend([1])
      sort()
      reverse()
      clear()
      nosuch()
      __len__()
      length
    `),
    dict: words(`
      items()
      items()|list
      keys()
      keys()|list
      values()|list
      get('a')
      get('zz')
      get('zz', 5)
      get($, $)
      copy()
      pop('a')
      update({})
      setdefault('q', 1)
      popitem()
      clear()
      items
      keys
      get
      nosuch()
      a
      fromkeys(['x', 'y'])
    `),
  },
  tests: {
    plain: words(`
      defined
      undefined
      none
      string
      number
      integer
      float
      boolean
      true
      false
      mapping
      sequence
      iterable
      callable
      odd
      even
      lower
      upper
      escaped
      divisibleby 2
      nosuchtest
      filter
      test
    `),
    withArgument: words(`
      sameas
      divisibleby
      eq
      ne
      lt
      le
      gt
      ge
      in
      equalto
      greaterthan
      lessthan
      defined
    `),
  },
  loopMembers: words(`
    loop.index
    loop.index0
    loop.revindex
    loop.revindex0
    loop.first
    loop.last
    loop.length
    loop.depth
    loop.depth0
    loop.previtem
    loop.nextitem
    loop.nextitem is defined
    loop.previtem.role
    loop.cycle('o', 'e')
    loop.cycle()
    loop.changed(loop.index // 2)
    loop.nosuch
    loop['index']
    loop is mapping
    loop
  `),
};

/** minijinja 2.24.0 as the Dynamo frontend sets it up; methods of its pycompat. */
export const dynamoVocabulary: Vocabulary = {
  filters: {
    text: words(`
      upper
      lower
      title
      capitalize
      trim
      trim($text)
      urlencode
      length
      count
      list
      first
      last
      reverse
      replace('l', 'L')
      replace($text, $text)
      indent(2)
      indent(2, true)
      indent(3, true, true)
      indent(width=1, first=true)
      int
      float
      string
      safe
      e
      escape
      tojson
      tojson(indent=2)
      fromjson
      from_json
      format(1)
      format('x', 2)
      join('-')
      sort
      unique|list
      default('x')
      d('x', true)
      d('x', boolean=true)
      pprint
      batch(3)|list
      slice(2)|list
      map('upper')|join
      select('in', 'abc')|list
      split
      split(',')
      split(' ', 1)
      lines
      lines|list
      bool
      chain([1])|list
      zip($list)|list
      items|list
      min
      max
      abs
    `),
    number: words(`
      abs
      round
      round(1)
      round(-1)
      int
      float
      string
      tojson
      default(1)
      bool
      length
      list
      pprint
      format
      upper
      safe
    `),
    list: words(`
      length
      count
      first
      last
      list
      reverse
      reverse|list
      join
      join(', ')
      join($text)
      sort
      sort(reverse=true)
      sort(case_sensitive=true)
      sort(attribute='a')
      sort(attribute='b,a')
      unique|list
      unique(case_sensitive=true)|list
      unique(attribute='a')|list
      min
      max
      sum
      map('upper')|list
      map(attribute='a')|list
      map(attribute='n.c', default=0)|list
      map('int')|list
      map('default', 'q')|list
      map('replace', 'a', 'z')|list
      map('tojson')|join(';')
      select|list
      select('string')|list
      select('number')|list
      select('divisibleby', 2)|list
      select('in', [1, 'a'])|list
      reject('none')|list
      reject|list
      selectattr('a')|list
      selectattr('a', 'defined')|list
      selectattr('b', 'equalto', 'x')|list
      selectattr('role', 'in', ['user', 'tool'])|list
      rejectattr('a')|list
      rejectattr('a', 'gt', 1)|list
      groupby('a')
      groupby('a')|list|length
      groupby('role')|map('first')|list
      groupby('b', default='none')
      groupby(attribute='b', case_sensitive=true)
      batch(2)|list
      batch(2, 'z')|list
      slice(2)|list
      slice(3, 'f')|list
      chain($list)|list
      chain($list, $list)|length
      zip($list)|list
      zip($list, $text)|list
      tojson
      tojson(indent=2)
      string
      pprint
      default('x')
      d([], true)
      dictsort
      bool
      upper
      items|list
    `),
    dict: words(`
      length
      list
      items|list
      dictsort
      dictsort(case_sensitive=true)
      dictsort(by='value')
      dictsort(reverse=true)
      first
      join(',')
      tojson
      tojson(indent=1)
      string
      pprint
      map('upper')|list
      select|list
      sort
      unique|list
      min
      max
      reverse|list
      attr('a')
      default(1)
      bool
      sum
      batch(1)|list
      chain($dict)
      chain($dict)|items|list
      zip($list)|list
    `),
    other: words(`
      default('x')
      default('x', true)
      d($, true)
      string
      int
      float
      length
      count
      list
      tojson
      upper
      join
      first
      last
      trim
      abs
      round
      sort
      items|list
      safe
      e
      pprint
      bool
      nosuchfilter
      urlencode
      wordcount
    `),
  },
  methods: {
    text: words(`
      strip()
      strip('H d')
      strip($text)
      lstrip()
      rstrip('\\n')
      split()
      split(',')
      split(' ', 1)
      split(none, 1)
      splitlines()
      splitlines(true)
      startswith('H')
      startswith(['H', 'a'])
      endswith('d')
      endswith(['x', 'd'])
      replace('l', '')
      replace('l', '_', 1)
      replace('', '-')
      upper()
      lower()
      title()
      capitalize()
      join(ls)
      join($list)
      format(1, x='y')
      format($, $)
      find('o')
      rfind('o')
      count('l')
      isdigit()
      isalpha()
      isalnum()
      isspace()
      isupper()
      islower()
      isascii()
      isnumeric()
      length
      nosuch()
      upper
      removeprefix('He')
      items()
    `),
    list: words(`
      count(1)
      count($)
      index(1)
      copy()
      append(1)
      pop()
      items()
      nosuch()
      length
    `),
    dict: words(`
      items()
      items()|list
      keys()
      keys()|list
      values()|list
      get('a')
      get('zz')
      get('zz', 5)
      get($, $)
      copy()
      pop('a')
      update({})
      items
      keys
      get
      nosuch()
      a
    `),
  },
  tests: {
    plain: words(`
      defined
      undefined
      none
      string
      number
      integer
      int
      float
      boolean
      true
      false
      mapping
      sequence
      iterable
      odd
      even
      lower
      upper
      safe
      escaped
      divisibleby 2
      nosuchtest
      filter
      test
    `),
    withArgument: words(`
      sameas
      divisibleby
      eq
      ne
      lt
      le
      gt
      ge
      in
      equalto
      greaterthan
      lessthan
      startingwith
      endingwith
      defined
    `),
  },
  loopMembers: huggingfaceVocabulary.loopMembers,
};
