#!/usr/bin/env ruby
# frozen_string_literal: true

# Worker for Ruby: batches of tasks on threads, in forked processes, and in Ractors.
#
# It speaks the worker protocol on stdin and stdout, whose full text is docs/protocol.md: one JSON object a line, a job
# first, then a run for each repetition. One file, the standard library, Ruby 2.7 and later.
#
# From top to bottom: the words of the protocol and its checksum, the operations (what one step of a task does), the models
# (how many tasks run at once), what a run costs, and the conversation. To bring your own operation or model, add one to
# OPERATIONS or MODELS.
#
# Ractors can read constants that are frozen and nothing else that is global: hence no global state here, and many `freeze`.

require "json"

if (RUBY_VERSION.split(".").map(&:to_i) <=> [2, 7]) < 0
  $stdin.gets
  puts JSON.generate(type: "error", message: "ruby-worker needs Ruby 2.7 or later, this is #{RUBY_VERSION}: " \
                                             "name a newer one in the runtime's command")
  exit 1
end

require "etc"
require "fileutils"
require "io/wait"
require "socket"
require "zlib"

begin
  require "fiddle" # to call what only the system's C library has
rescue LoadError
  warn "ruby-worker: fiddle is not there (gem install fiddle): context switches will be unknown"
end

Encoding.default_external = Encoding::UTF_8 # whatever the locale says
Warning[:experimental] = false # Ractors are; stderr is for faults

NAME = "ruby-worker 0.1.0"
RUNTIME = "#{RUBY_ENGINE} #{RUBY_ENGINE == "ruby" ? RUBY_VERSION : RUBY_ENGINE_VERSION}"
MAX_WORKERS = 32_768
PATIENCE_S = 30 # with a silent server

# The job is understood, but this worker does not do such jobs. One sentence.
class Unsupported < StandardError; end

# A line that is no message of this protocol, or comes out of order: it ends the conversation.
class Malformed < StandardError; end

def now_ns
  Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end

# ---- The words of the protocol and its checksum: docs/protocol.md, "Lines" and "Checksum" ------------------------------

# The fields of an object of the protocol, checked as they are read.
class Fields
  attr_reader :value

  def initialize(value)
    @value = value
  end

  def number(name, default = nil)
    value = field(name, Integer, "a number", default)
    raise Malformed, "#{name} is #{value}, which is not within 0 and 2^64 - 1" unless value.between?(0, MASK)

    value
  end

  def text(name)
    field(name, String, "a text")
  end

  def flag(name)
    value = @value[name]
    raise Malformed, "#{name} is #{value.inspect}, which is not true or false" unless [true, false].include?(value)

    value
  end

  def table(name)
    Fields.new(field(name, Hash, "an object"))
  end

  # Host and port.
  def address(name)
    host, colon, port = text(name).rpartition(":")
    raise Malformed, "#{name} #{text(name).inspect} is no host:port" if colon.empty? || !port.match?(/\A\d{1,5}\z/) || port.to_i > 0xFFFF

    [host.delete("[]"), port.to_i]
  end

  # What a word stands for.
  def word(name, known, what)
    chosen = text(name)
    known.fetch(chosen) do
      raise Unsupported, "ruby-worker has no #{what} #{chosen.inspect} on #{RUNTIME}; it has #{known.keys.join(", ")}"
    end
  end

  private

  def field(name, type, what, default = nil)
    value = @value.fetch(name, default)
    return value if value.is_a?(type)

    raise Malformed, value.nil? ? "#{name} is missing" : "#{name} is #{value.inspect}, which is not #{what}"
  end
end

MASK = 2**64 - 1

def mix(value)
  value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
  value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
  value ^ (value >> 31)
end

def task_seed(index)
  mix(((index + 1) * 0x9E3779B97F4A7C15) & MASK)
end

def fold(state, result)
  mix((((state << 23) | (state >> 41)) & MASK) ^ result)
end

# ---- Operations: docs/protocol.md, "Operations" ----------------------------------------------------------------------

# What one step of a task does: `step(state, index)` returns its result. Every thread, process and Ractor works with one of
# its own, so it needs no locks.
class Operation
  # Reads the parameters. `prefix` begins the name of every file that the job makes.
  def initialize(task, prefix)
    @prefix = prefix
    read(Fields.new(task))
  end

  def read(task); end

  # Makes what all runs need, once a job.
  def prepare; end

  # Checks what a run has left behind, when its time is over.
  def look_at(indices); end

  # Removes what the job made.
  def clean_up; end

  # Closes connections.
  def close; end
end

class SumOfSquares < Operation
  def read(task)
    @n = task.number("n")
  end

  def step(_state, _index)
    total = 0
    @n.times { |i| total += i * i }
    raise "the sum of the squares below #{@n} came to #{total}" if total != (@n - 1) * @n * (2 * @n - 1) / 6

    total & MASK
  end
end

class Burn < Operation
  def read(task)
    @iterations = task.number("iterations")
  end

  def step(state, _index)
    value = state & 0xFFFFFFFF
    @iterations.times { |index| value = (value * 1664525 + 1013904223 + index) & 0xFFFFFFFF }
    value
  end
end

class Primes < Operation
  def read(task)
    @limit = task.number("limit")
  end

  def step(_state, _index)
    count = @limit > 2 ? 1 : 0
    3.step(@limit - 1, 2) { |candidate| count += 1 if prime?(candidate) }
    count
  end

  def prime?(odd)
    divisor = 3
    while divisor * divisor <= odd
      return false if (odd % divisor).zero?

      divisor += 2
    end
    true
  end
end

class Wait < Operation
  def read(task)
    @seconds = task.number("io_ns") / 1e9
  end

  def step(_state, _index)
    sleep(@seconds) if @seconds.positive? # sleep(0) would let others run
    1
  end
end

class WaitAndBurn < Burn
  def read(task)
    super
    @seconds = task.number("io_ns") / 1e9
  end

  def step(state, index)
    sleep(@seconds) if @seconds.positive?
    super
  end
end

class Command < Operation
  def read(task)
    @argv = task.value["argv"]
    return if @argv.is_a?(Array) && @argv.any? && @argv.all?(String)

    raise Malformed, "argv is #{@argv.inspect}: it is an array of texts, the first of which is the program"
  end

  def step(_state, _index)
    run_program(@argv)
    0
  end
end

class HttpGet < Operation
  def read(task)
    @address = task.address("address")
    @keep_alive = task.flag("keep_alive")
    @request = "GET #{task.text("path")} HTTP/1.1\r\nHost: #{task.text("address")}\r\n"
    @request += "Connection: close\r\n" unless @keep_alive
    @request += "\r\n"
  end

  def close
    @connection&.close
    @connection = nil
  end

  def step(_state, _index)
    @connection ||= connect(*@address)
    @connection.write(@request)
    length, goes_on = answer
    close unless goes_on && @keep_alive
    length
  rescue StandardError
    close
    raise
  end

  # Reads an answer: the length of its body, and whether the connection can go on.
  def answer
    version, status, = line.split(" ")
    raise "the server answered with status #{status} instead of 200" if status != "200"

    fields = {}
    until (field = line.chomp).empty?
      name, value = field.split(":", 2)
      fields[name.downcase] = value.to_s.strip.downcase
    end
    goes_on = version == "HTTP/1.1" && fields["connection"] != "close"
    if fields["transfer-encoding"] == "chunked"
      length = 0
      until (size = line.to_i(16)).zero?
        length += exactly(size)
        line
      end
      nil until line.chomp.empty? # trailers
      return [length, goes_on]
    end
    return [exactly(Integer(fields["content-length"], 10)), goes_on] if fields["content-length"]

    [@connection.read.bytesize, false]
  end

  def line
    hear(@connection)
  end

  def exactly(size)
    wait_for(@connection) if size.positive?
    got = @connection.read(size).to_s.bytesize
    raise "the server closed the connection after #{got} of #{size} bytes" if got != size

    size
  end
end

class SmtpSend < Operation
  def read(task)
    @address = task.address("address")
    @size = task.number("body_bytes")
    mail = generated(0, @size).gsub("\n", "\r\n").gsub(/^\./, "..")
    @mail = "#{mail}#{"\r\n" unless mail.empty? || mail.end_with?("\r\n")}.\r\n"
  end

  def step(_state, _index)
    connection = connect(*@address)
    [
      ["the connection", "", "220"],
      ["EHLO", "EHLO localhost\r\n", "250"],
      ["MAIL", "MAIL FROM:<sender@localhost>\r\n", "250"],
      ["RCPT", "RCPT TO:<recipient@localhost>\r\n", "250"],
      ["DATA", "DATA\r\n", "354"],
      ["the mail", @mail, "250"],
      ["QUIT", "QUIT\r\n", "221"],
    ].each do |command, words, expected|
      connection.write(words)
      line = hear(connection)
      line = hear(connection) while line[3] == "-" # more lines follow
      raise "the mail server answered #{command} with #{line.strip[0, 80].inspect}" unless line.start_with?(expected)
    end
    @size
  ensure
    connection&.close
  end
end

# The standard library has no database: a gem does it, if there is one.
class DbSelect < Operation
  def read(task)
    @database = task.text("database")
    @connection = task.text("connection")
    query = task.table("query")
    if query.value["compute"]
      @rows = query.table("compute").number("rows")
    else
      @seconds = query.table("wait").number("io_ns") / 1e9
    end
    raise Unsupported, "SQLite cannot wait: db-select with a wait needs postgres" if @seconds && @database == "sqlite"

    @gem = { "sqlite" => "sqlite3", "postgres" => "pg" }[@database]
    raise Unsupported, "ruby-worker has no database #{@database.inspect}; it has sqlite and postgres" unless @gem
  end

  def prepare
    require @gem
  rescue LoadError
    raise Unsupported, "Ruby's standard library has no client for #{@database}: gem install #{@gem}, or apt-get install " \
                       "ruby-#{@gem}"
  end

  def close
    @client&.close
    @client = nil
  end

  def step(_state, _index)
    @database == "sqlite" ? ask_sqlite : ask_postgres
  end

  def ask_sqlite
    @client ||= SQLite3::Database.new(@connection)
    @client.get_first_value(<<~SQL)
      WITH RECURSIVE numbers(i) AS (SELECT 1 WHERE #{@rows} >= 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < #{@rows})
      SELECT coalesce(sum((i * i) % 7919), 0) FROM numbers
    SQL
  end

  def ask_postgres
    @client ||= PG.connect(@connection)
    query = if @seconds
              "SELECT 1 FROM pg_sleep(#{format("%.9f", @seconds)})"
            else
              "SELECT coalesce(sum((i * i) % 7919), 0) FROM generate_series(1::bigint, #{@rows}::bigint) AS numbers(i)"
            end
    Integer(@client.exec(query).getvalue(0, 0), 10)
  end
end

# An operation that makes files in a folder.
class WithFiles < Operation
  def read(task)
    @folder = File.expand_path(task.text("folder"))
  end

  def path(name)
    "#{@folder}/#{@prefix}-#{name}"
  end

  def make(name, content)
    File.open(path(name), "wb") do |file|
      file.write(content)
      file.fsync # what is not on the disk cannot be dropped from the page cache
    end
  end

  def clean_up
    return unless Dir.exist?(@folder)

    Dir.each_child(@folder) { |name| FileUtils.rm_rf("#{@folder}/#{name}") if name.b.start_with?("#{@prefix}-") }
  end
end

class FileRead < WithFiles
  def read(task)
    super
    @size = task.number("size_bytes")
    @cold = task.flag("cold")
  end

  def prepare
    8.times { |file| make("read-#{file}", generated(file, @size)) }
  end

  def step(_state, index)
    File.open(path("read-#{index % 8}"), "rb") do |file|
      file.advise(:dontneed) if @cold
      Zlib.crc32(file.read)
    end
  end
end

class FileWrite < WithFiles
  def read(task)
    super
    @size = task.number("size_bytes")
    @fsync = task.flag("fsync")
    @content = generated(0, @size)
  end

  def step(_state, index)
    File.open(path("write-#{index}"), "wb") do |file|
      file.write(@content)
      file.fsync if @fsync
    end
    @size
  end
end

# An operation that a program does, or a library.
class ByProgram < WithFiles
  def read(task)
    super
    by = task.value["by"]
    @program = Fields.new(by).text("program") if by.is_a?(Hash)
    raise Malformed, "by is #{by.inspect}: it is \"library\" or {\"program\":…}" unless @program || by == "library"
  end
end

class Zip < ByProgram
  def read(task)
    super
    @files = task.number("files")
    @size = task.number("file_bytes")
    # Sizes and offsets of an archive without ZIP64 have 32 bits, its count of files has 16.
    too_large = @files > 0xFFFF || @files * (@size + 200) > 0xFFFFFFFF
    raise Unsupported, "ruby-worker packs at most 65535 files and 4 GB, as it has no ZIP64" if too_large
  end

  def prepare
    Dir.mkdir(path("pack"))
    @files.times { |file| make("pack/#{file}.txt", generated(file, @size)) }
  end

  def step(_state, index)
    archive = path("#{index}.zip")
    if @program
      run_program([@program, "-q", "-r", "-D", archive, "."], path("pack"))
    else
      pack(archive)
    end
    sums = entries(archive)
    File.delete(archive)
    raise "the archive has #{sums.size} entries instead of #{@files}" if sums.size != @files

    sums.sum & MASK
  end

  # Writes an archive: for each file a header and its deflated bytes, then the directory. Numbers are little-endian.
  def pack(archive)
    directory = +""
    File.open(archive, "wb") do |file|
      @files.times do |number|
        content = File.binread(path("pack/#{number}.txt"))
        deflate = Zlib::Deflate.new(6, -Zlib::MAX_WBITS)
        packed = deflate.deflate(content, Zlib::FINISH)
        deflate.close
        name = "#{number}.txt"
        version, flags, deflated, time, day = 20, 0, 8, 0, 0x21
        common = [version, flags, deflated, time, day, Zlib.crc32(content), packed.bytesize, content.bytesize, name.bytesize, 0]
        directory << ["PK\x01\x02", version, *common, 0, 0, 0, 0, file.pos].pack("a4vv5V3vvvvvVV") << name
        file.write(["PK\x03\x04", *common].pack("a4v5V3vv"), name, packed)
      end
      start = file.pos
      file.write(directory, ["PK\x05\x06", 0, 0, @files, @files, directory.bytesize, start, 0].pack("a4vvvvVVv"))
    end
  end

  # Opens an archive by its directory: the CRC-32 of what each entry holds, checked against what the archive says.
  def entries(archive)
    data = File.binread(archive)
    ending = data.rindex("PK\x05\x06".b) || raise("what was made is no zip archive")
    count, at = data[ending, 22].unpack("x10vx4V")
    Array.new(count) do
      method, crc, packed, name, extra, comment, start = data[at, 46].unpack("x10vx4VVx4vvvx8V")
      at += 46 + name + extra + comment
      name, extra = data[start, 30].unpack("x26vv") # before the bytes the name stands again
      bytes = data[start + 30 + name + extra, packed]
      content = method.zero? ? bytes : inflate(bytes)
      raise "an entry of the archive has another sum than the archive says" if Zlib.crc32(content) != crc

      crc
    end
  end

  def inflate(bytes)
    inflate = Zlib::Inflate.new(-Zlib::MAX_WBITS)
    inflate.inflate(bytes)
  ensure
    inflate.close
  end
end

class ResizeImage < ByProgram
  def read(task)
    super
    raise Unsupported, "Ruby's standard library has no pictures: resize by {\"program\":\"convert\"}" unless @program

    @source_width = task.number("source_width")
    @width = task.number("width")
    @height = @width * 3 / 4
    return if @width.between?(64, @source_width)

    raise "width is #{@width}: it is at least 64 and at most source_width, which is #{@source_width}"
  end

  def prepare
    width = @source_width
    height = width * 3 / 4
    source = picture(width, height)
    @expected = block_means(source, width, height)
    make("source.ppm", "P6\n#{width} #{height}\n255\n#{source}")
    run_program([@program, path("source.ppm"), "-quality", "90", path("source.jpg")])
  end

  def step(_state, index)
    run_program([@program, path("source.jpg"), "-resize", "#{@width}x#{@height}!", path("#{index}.jpg")])
    width, height = jpeg_size(File.binread(path("#{index}.jpg")))
    raise "#{@program} made a picture of #{width}x#{height}" if [width, height] != [@width, @height]

    (width << 32) + height
  end

  # A step checks the size; the look of a JPEG only the program knows, which would be measured in a step.
  def look_at(indices)
    indices.each do |index|
      run_program([@program, path("#{index}.jpg"), "-depth", "8", "rgb:#{path("seen")}"])
      seen = block_means(File.binread(path("seen")), @width, @height)
      next if seen.zip(@expected).all? { |mean, expected| (mean - expected).abs <= 8 }

      raise "the picture that #{@program} made for task #{index} does not look like its source"
    end
  end

  # Pixels, three bytes each. Red rises to the right, green downwards, and blue is stripes; all with noise.
  def picture(width, height)
    noise = Random.new(1)
    row = Array.new(width) { |x| [20 + 190 * x / width, 20, 90 + 80 * (16 * x / width % 2)] }.flatten
    Array.new(height) do |y|
      down = 190 * y / height
      random = noise.bytes(3 * width).bytes
      row.each_with_index.map { |value, at| value + random[at] % 29 + (at % 3 == 1 ? down : 0) }.pack("C*")
    end.join
  end

  # The mean of each channel of 8 x 8 blocks: docs/protocol.md, "The picture".
  def block_means(pixels, width, height)
    [*0...8].product([*0...8]).flat_map do |row, column|
      left, right = [column, column + 1].map { |edge| edge * width / 8 }
      lines = [*row * height / 8...(row + 1) * height / 8]
      sums = [0, 0, 0]
      lines.each do |y|
        pixels.byteslice(3 * (y * width + left), 3 * (right - left)).unpack("C*").each_slice(3) do |red, green, blue|
          sums[0] += red
          sums[1] += green
          sums[2] += blue
        end
      end
      sums.map { |sum| sum.fdiv(lines.size * (right - left)) }
    end
  end

  # Width and height, from the first frame header (SOF) of a JPEG.
  def jpeg_size(data)
    at = 2
    while data.start_with?("\xFF\xD8".b) && data.getbyte(at) == 0xFF
      marker, length, height, width = data[at, 9].unpack("xCnxnn")
      return [width, height] if marker.between?(0xC0, 0xCF) && ![0xC4, 0xC8, 0xCC].include?(marker)

      at += 2 + length
    end
    raise "what was made is no JPEG picture"
  end
end

OPERATIONS = {
  "sum-of-squares" => SumOfSquares,
  "burn" => Burn,
  "primes" => Primes,
  "wait" => Wait,
  "wait-and-burn" => WaitAndBurn,
  "command" => Command,
  "http-get" => HttpGet,
  "smtp-send" => SmtpSend,
  "db-select" => DbSelect,
  "file-read" => FileRead,
  "file-write" => FileWrite,
  "resize-image" => ResizeImage,
  "zip" => Zip,
}.freeze

# What operations are made of.

# Generated file number `file`, cut off at `size` bytes.
def generated(file, size)
  lines = Array.new((size + 25) / 26) { |line| format("%08d %016x\n", line, mix(((file << 32) + line) & MASK)) }
  lines.join[0, size].b
end

def connect(host, port)
  connection = TCPSocket.new(host, port)
  connection.binmode
  connection.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
  connection
end

# The next line.
def hear(connection)
  wait_for(connection)
  connection.gets || raise("the server closed the connection before its answer was whole")
end

# Waits until there is something to read, and not for ever. Reading would wait in the same way, but without a limit.
def wait_for(connection)
  connection.wait_readable(PATIENCE_S) || raise("the server has not answered for #{PATIENCE_S} s: does it hang?")
end

# Runs a program without a shell, and waits for its end.
def run_program(argv, where = Dir.pwd)
  program, *arguments = argv
  null = File::NULL
  # How many pictures are made at once is the model's affair.
  one_thread = { "MAGICK_THREAD_LIMIT" => "1" }
  pid = Process.spawn(one_thread, [program, program], *arguments, in: null, out: null, err: null, chdir: where)
  _, status = Process.wait2(pid)
  raise "#{program} #{how_it_ended(status)}" unless status.success?
end

def how_it_ended(status)
  status.signaled? ? "was ended by signal #{status.termsig}" : "exited with status #{status.exitstatus}"
end

# An exception as a person reads it: ours are sentences, those of others need their names.
def in_words(error)
  error.instance_of?(RuntimeError) ? error.message : "#{error.class}: #{error.message}"
end

# ---- Models: docs/protocol.md, "Models" ------------------------------------------------------------------------------

# A job of kind `batch`.
class Batch
  attr_reader :job, :prefix, :workers, :tasks, :indices

  def initialize(job, prefix = Process.pid.to_s)
    @job = job
    @prefix = prefix
    fields = Fields.new(job)
    @model = fields.word("model", MODELS, "model")
    lock = fields.text("lock")
    raise Unsupported, "the lock #{lock.inspect} is an emulation for Rust: a real interpreter's is what it is" if lock != "none"

    @workers = fields.number("workers")
    @steps = fields.number("steps", 1)
    unless @workers.between?(1, MAX_WORKERS) && @steps >= 1
      raise "workers is #{@workers} and steps #{@steps}: 1 to #{MAX_WORKERS} and 1 or more are possible"
    end
    @tasks = fields.number("tasks")
    first = fields.number("first_task", 0)
    raise "first_task #{first} and tasks #{@tasks} together exceed 2^64" if first + @tasks > MASK + 1

    @indices = first...first + @tasks
    @kind = fields.table("task").word("op", OPERATIONS, "operation")
    if @model == :ractors && @kind == DbSelect
      raise Unsupported, "the gems for databases cannot be used in Ractors: choose threads or processes"
    end
    @operation = new_operation
  end

  def prepare
    @operation.prepare
  end

  def run
    sample = send(@model, self)
    @operation.look_at(@indices)
    sample
  end

  def close
    @operation.clean_up
  end

  def new_operation
    @kind.new(@job["task"], @prefix)
  end

  # The contiguous share of one worker. Shares differ by one task at most; the first ones are the larger.
  def share(worker)
    each, left = @tasks.divmod(@workers)
    start = @indices.begin + worker * each + [worker, left].min
    start...start + each + (worker < left ? 1 : 0)
  end

  # Does one task. Returns its last state.
  def task(operation, index)
    state = task_seed(index)
    @steps.times { state = fold(state, operation.step(state, index)) }
    state
  end

  # Does some tasks, one after another: the sum of their last states.
  def tasks_of(operation, indices)
    sum = 0
    indices.each { |index| sum += task(operation, index) }
    sum
  end
end

# `begun` is when the making of threads began, `started` when all were let go.
def sample(begun, started, ended, checksum, workers, usage)
  {
    type: "sample",
    elapsed_ns: ended - started,
    setup_ns: started - begun,
    tasks: workers.sum,
    checksum: format("%016x", checksum & MASK),
    workers: workers,
    usage: usage,
  }
end

def sequential(batch)
  begun = now_ns
  meter = Meter.new
  operation = batch.new_operation
  started = now_ns
  checksum = batch.tasks_of(operation, batch.indices)
  ended = now_ns
  sample(begun, started, ended, checksum, [batch.tasks], meter.stop)
ensure
  operation&.close
end

# Threads that take tasks from one counter.
def threads(batch)
  begun = now_ns
  meter = Meter.new
  ready = Queue.new
  go = Queue.new
  lock = Mutex.new
  counter = batch.indices.begin
  take = -> { lock.synchronize { (counter += 1) - 1 } }
  all = []
  batch.workers.times do
    all << Thread.new do
      Thread.current.report_on_exception = false
      operation = batch.new_operation
      ready << true
      go.pop
      checksum = done = 0
      while batch.indices.cover?(index = take.call)
        checksum += batch.task(operation, index)
        done += 1
      end
      [checksum, done, now_ns]
    ensure
      operation&.close
    end
  end
  batch.workers.times { ready.pop }
  started = now_ns
  batch.workers.times { go << true }
  parts = all.map(&:value)
  checksums, counts, ends = parts.transpose
  sample(begun, started, ends.max, checksums.sum, counts, meter.stop)
ensure
  all.each(&:kill) # those that are left when another one has failed
end

# Forked child processes, each of which is given one share.
def processes(batch)
  Process.setrlimit(:NOFILE, Process.getrlimit(:NOFILE).last) # two descriptors for each
  begun = now_ns
  meter = Meter.new(children: false)
  children = []
  batch.workers.times { |worker| children << ChildProcess.new(batch, worker) }
  hear_all(children)
  started = now_ns
  children.each(&:let_go)
  parts = hear_all(children)
  ended = now_ns
  usage = parts.map { |part| part["usage"] }.reduce(meter.stop) { |sum, part| Meter.together(sum, part) }
  checksum = parts.sum { |part| part["checksum"] }
  sample(begun, started, ended, checksum, parts.map { |part| part["done"] }, usage)
ensure
  children.each(&:finish)
end

# What each child says next. They are heard in whatever order they come, so one that dies is noticed at once.
def hear_all(children)
  heard = {}
  while heard.size < children.size
    waiting = (children - heard.keys).to_h { |child| [child.output, child] }
    IO.select(waiting.keys).first.each { |output| heard[waiting[output]] = waiting[output].hear }
  end
  heard.values_at(*children)
end

# A forked child process and the pipes to it. It says that it is ready, is let go, and says what its share came to.
class ChildProcess
  attr_reader :output

  def initialize(batch, worker)
    to_child, @input = IO.pipe
    @output, from_child = IO.pipe
    from_child.sync = true
    parent = Process.pid
    @pid = fork do
      die_with(parent)
      work(batch, worker, to_child, from_child)
    rescue StandardError, ScriptError, NoMemoryError => e
      from_child.puts(JSON.generate({ error: in_words(e).scrub }))
    ensure
      exit!(0) # without what the worker does at its own end
    end
    [to_child, from_child].each(&:close) # so that the next child does not inherit them
  end

  # Waits for what the child says next.
  def hear
    line = @output.gets
    raise "child process #{@pid} #{how_it_ended(reap)} before it had answered" unless line

    part = JSON.parse(line)
    raise "child process #{@pid}: #{part["error"]}" if part["error"]

    part
  end

  def let_go
    @input.syswrite("x")
  rescue Errno::EPIPE
    nil # `hear` will find how it has ended
  end

  # Ends the child, whatever it does.
  def finish
    Process.kill(:KILL, @pid) if @pid
    reap
    [@input, @output].each(&:close)
  end

  private

  def work(batch, worker, to_child, from_child)
    operation = batch.new_operation
    from_child.puts(JSON.generate({ ready: true }))
    to_child.sysread(1)
    meter = Meter.new
    indices = batch.share(worker)
    checksum = batch.tasks_of(operation, indices)
    from_child.puts(JSON.generate({ checksum: checksum, done: indices.size, usage: meter.stop }))
  end

  def reap
    _, status = Process.wait2(@pid) if @pid
    @pid = nil
    status
  end
end

# Ractors, each of which is given one share. Descriptors are numbers, so pipes are the gate in every version of Ruby.
def ractors(batch)
  begun = now_ns
  meter = Meter.new
  arrived, arrive, leave, let_go = pipes = [*IO.pipe, *IO.pipe]
  all = Array.new(batch.workers) do |worker|
    Ractor.new(batch.job, batch.prefix, worker, arrive.fileno, leave.fileno) do |job, prefix, number, ready, go|
      ready = IO.for_fd(ready, autoclose: false)
      part = Batch.new(job, prefix)
      operation = part.new_operation
      indices = part.share(number)
      ready.syswrite("x")
      IO.for_fd(go, autoclose: false).sysread(1)
      [part.tasks_of(operation, indices), indices.size, now_ns]
    rescue StandardError => e
      ready.syswrite("x") unless indices # somebody waits for it
      "Ractor #{number}: #{in_words(e)}"
    ensure
      operation&.close
    end
  end
  batch.workers.times { arrived.sysread(1) }
  started = now_ns
  let_go.syswrite("x" * batch.workers)
  # `take` became `value` in Ruby 4.
  parts = all.map { |ractor| ractor.respond_to?(:value) ? ractor.value : ractor.take }
  failure = parts.grep(String).first
  raise failure if failure

  checksums, counts, ends = parts.transpose
  sample(begun, started, ends.max, checksums.sum, counts, meter.stop)
ensure
  pipes&.each(&:close)
end

MODELS = {
  "sequential" => :sequential,
  "threads" => :threads,
  **(Process.respond_to?(:fork) ? { "processes" => :processes } : {}),
  **(defined?(Ractor) ? { "ractors" => :ractors } : {}),
}.freeze

# ---- What a run costs, and the parent process ------------------------------------------------------------------------

# Functions of the system's C library that Ruby has no method for. `nil` where Fiddle is not there to call them.
module CLibrary
  def self.function(name, arguments)
    return unless defined?(Fiddle) && RUBY_PLATFORM.match?(/x86_64-linux|aarch64-linux/)

    types = arguments.map { |type| Fiddle.const_get(type) }
    Fiddle::Function.new(Fiddle.dlopen(nil)[name], types, Fiddle::TYPE_INT)
  end

  GETRUSAGE = function("getrusage", %i[TYPE_INT TYPE_VOIDP])
  PRCTL = function("prctl", %i[TYPE_INT TYPE_LONG])
end

# Counts what this process uses from its making on; with children, those that it has waited for as well.
class Meter
  def initialize(children: true)
    @children = children
    @before = read
  end

  def stop
    now = read
    used = now.to_h { |name, value| [name, value && value - @before[name]] }
    peak_kib = numbers_in("/proc/self/status")["VmHWM"] # not `ru_maxrss`, which begins with the peak of whoever started this
    used.merge("peak_rss_bytes" => peak_kib && peak_kib * 1024, "processes" => 1)
  end

  # The usage of two processes together. Unknown plus anything is unknown.
  def self.together(one, other)
    one.to_h { |name, value| [name, value && other[name] && value + other[name]] }
  end

  private

  def read
    times = Process.times
    user = times.utime + (@children ? times.cutime : 0)
    sys = times.stime + (@children ? times.cstime : 0)
    voluntary, involuntary = switches
    disk = numbers_in("/proc/self/io")
    {
      "user_ns" => (user * 1e9).round,
      "sys_ns" => (sys * 1e9).round,
      "voluntary_switches" => voluntary,
      "involuntary_switches" => involuntary,
      "disk_read_bytes" => disk["read_bytes"],
      "disk_write_bytes" => disk["write_bytes"],
    }
  end

  # The numbers in a file of the kernel, by what stands before their colons. None where there is no such file.
  def numbers_in(path)
    File.binread(path).scan(/^(\w+):\s+(\d+)/).to_h { |name, count| [name, count.to_i] }
  rescue SystemCallError
    {}
  end

  def switches
    return unless CLibrary::GETRUSAGE

    whose = [0] # RUSAGE_SELF
    whose << -1 if @children # RUSAGE_CHILDREN
    whose.map do |who|
      usage = "\0".b * 144 # two times of two numbers, then 14 numbers, of which these are the last
      CLibrary::GETRUSAGE.call(who, usage)
      usage.unpack("@128qq")
    end.transpose.map(&:sum)
  end
end

# This process shall die with the one that started it.
def die_with(parent)
  pr_set_pdeathsig = 1
  if CLibrary::PRCTL
    CLibrary::PRCTL.call(pr_set_pdeathsig, Signal.list["KILL"])
  else
    Thread.new do
      sleep(0.2) while Process.ppid == parent
      exit!(1)
    end
  end
  exit!(1) if Process.ppid != parent # it had ended before the call, so no signal would ever come
end

# ---- The conversation: docs/protocol.md, "The conversation" ----------------------------------------------------------

# Lines in, lines out.
class Conversation
  def initialize(output)
    @output = output
  end

  # Answers every line until stdin ends. Returns the exit status.
  def go_on
    $stdin.binmode.each_line do |line|
      line = line.force_encoding(Encoding::UTF_8).scrub.strip
      next if line.empty?

      begin
        say(answer(line))
      rescue Unsupported => e
        say({ type: "unsupported", message: e.message })
      rescue Malformed => e
        say({ type: "error", message: "not a protocol message: #{e.message}: #{line[0, 120].inspect}" })
        return 1
      rescue Errno::EPIPE
        return 1 # nobody listens any more
      rescue StandardError, ScriptError, NoMemoryError => e
        say({ type: "error", message: in_words(e) })
      end
    end
    0
  end

  def close
    job = @job
    @job = nil
    job&.close
  end

  private

  def answer(line)
    message = JSON.parse(line)
    raise Malformed, "it is not an object" unless message.is_a?(Hash)

    fields = Fields.new(message)
    case type = fields.text("type")
    when "job" then prepare(fields)
    when "run"
      fields.flag("warmup")
      raise Malformed, "a run was asked for before there was a job that can be run" unless @job

      @job.run
    else raise Malformed, "its type is #{type.inspect}"
    end
  rescue JSON::ParserError
    raise Malformed, "it is not JSON"
  end

  def prepare(job)
    version = job.number("protocol")
    raise Malformed, "the job speaks protocol #{version}, this worker protocol 1" if version != 1

    close
    @job = job.word("kind", { "batch" => Batch }, "kind of job").new(job.value)
    begin
      @job.prepare
    rescue Exception # rubocop:disable Lint/RescueException -- it is raised again
      close
      raise
    end
    facts = {
      usable_cpus: Etc.nprocessors,
      gvl: RUBY_ENGINE == "ruby",
      ractors: MODELS.key?("ractors"),
      yjit: defined?(RubyVM::YJIT) ? RubyVM::YJIT.enabled? : false,
      zlib: Zlib.zlib_version,
    }
    { type: "ready", protocol: 1, worker: NAME, runtime: RUNTIME, facts: facts, ports: [] }
  end

  def say(message)
    @output.write("#{JSON.generate(message.transform_values { |value| value.is_a?(String) ? value.scrub : value })}\n")
  end
end

# Only answers go to stdout: what a library prints goes to stderr, and so does what it has printed already.
def take_stdout
  stdout = IO.for_fd(1, autoclose: false)
  wire = stdout.dup
  wire.sync = true
  stdout.reopen($stderr) # not `$stdout.reopen`, which would send on what is buffered
  $stdout.flush
  wire
end

if $PROGRAM_NAME == __FILE__
  conversation = Conversation.new(take_stdout)
  starter = ENV.fetch("PARALLAX_PARENT_PID", nil)
  die_with(starter.to_i) if starter
  begin
    exit conversation.go_on
  ensure
    conversation.close
  end
end
