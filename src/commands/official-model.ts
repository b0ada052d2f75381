import type { ChatParsed, CompletionsParsed, EngineTraits } from "../api/index.ts";
import { readModelFolder } from "../config/index.ts";
import {
  type CompiledModel,
  Model,
  type ModelOptions,
  officialTokenizer,
  type Profile,
  type TokenizedPrompt,
} from "../model/index.ts";

/** A model with the official engine, which takes a second to load and 100 to 400 MB: it is loaded when it is first asked for. */
export class OfficialModel {
  readonly profile: Profile;
  readonly blockSize: number;
  readonly #options: ModelOptions;
  #engine: EngineTraits | undefined;
  #load: (() => Promise<Model>) | undefined;
  #model: Promise<Model> | undefined;

  constructor(options: ModelOptions) {
    this.profile = options.profile;
    this.blockSize = options.blockSize;
    this.#options = options;
  }

  /** @param folder where the model's files lie */
  set(compiled: CompiledModel, folder: string): void {
    this.#engine = compiled.engine;
    this.#load = async () => {
      const files = await readModelFolder(folder);
      return new Model(this.#options, compiled, officialTokenizer(this.#options, files));
    };
  }

  /** As `Model.engine`; undefined until the model's files are known. */
  get engine(): EngineTraits | undefined {
    return this.#engine;
  }

  /** Loads the engine, once. @throws ModelLoadError */
  loaded(): Promise<Model> {
    if (this.#load === undefined) throw new TypeError("the model's files are not known yet");
    this.#model ??= this.#load();
    return this.#model;
  }

  /** As `Model.tokenize`. */
  async tokenize(request: ChatParsed | CompletionsParsed): Promise<TokenizedPrompt> {
    return (await this.loaded()).tokenize(request);
  }
}
